#include "redqueen/watch/readable.h"

#include "redqueen/run/report/html.h"

namespace redqueen::watch {

std::string readable(std::string_view bytes) {
  return run::cut_to_characters(run::readable_utf8(bytes), kMostCharacters);
}

Json readable_json(const Json& value) {
  if (value.is_string()) return readable(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value;
  Json copy = value.is_array() ? Json::array() : Json::object();
  if (value.is_array()) {
    for (const Json& part : value) copy.push_back(readable_json(part));
  } else {
    for (const auto& [key, part] : value.items()) copy[readable(key)] = readable_json(part);
  }
  return copy;
}

}  // namespace redqueen::watch
