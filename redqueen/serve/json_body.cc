#include "redqueen/serve/json_body.h"

namespace redqueen::serve {
namespace {

struct Marks {
  std::size_t values = 1;  // about: what commas and brackets separate
  std::size_t members = 0;
};

// Counts outside of strings; of text that need not be JSON.
Marks count_marks(std::string_view text) {
  Marks marks;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
        break;
      case ':':
        ++marks.members;
        break;
      case ',':
      case '[':
      case '{':
        ++marks.values;
        break;
      default:
        break;
    }
  }
  return marks;
}

std::size_t count_members(const Json& value) {
  std::size_t count = value.is_object() ? value.size() : 0;
  if (value.is_structured())
    for (const Json& item : value) count += count_members(item);
  return count;
}

}  // namespace

Expected<Json> read_json(std::string_view text) {
  const Marks marks = count_marks(text);
  if (marks.values > kMostJsonValues)
    return usage_error("invalid JSON: more than {} values", kMostJsonValues);
  auto json = parse_json(text);
  if (!json) return usage_error("{}", json.error().message);
  if (count_members(*json) != marks.members)
    return usage_error("invalid JSON: an object names a key twice");
  return json;
}

Expected<Json> read_json_object(std::string_view text) {
  ASSIGN_OR_RETURN(auto json, read_json(text));
  if (!json.is_object()) return usage_error("expected a JSON object, found {}", json.type_name());
  return json;
}

}  // namespace redqueen::serve
