#include "redqueen/serve/known_fields.h"

#include <algorithm>

#include "redqueen/base/text.h"

namespace redqueen::serve {

Status check_keys(const Json& body, const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : body.items()) {
    if (std::ranges::find(known, key) == known.end())
      return usage_error("there is no key \"{}\" here{}", key, did_you_mean(key, known));
  }
  return {};
}

}  // namespace redqueen::serve
