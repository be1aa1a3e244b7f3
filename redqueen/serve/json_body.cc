#include "redqueen/serve/json_body.h"

#include <optional>

#include "redqueen/serve/ondemand_json.h"

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostQuickBytes = std::size_t{256} << 10;  // bounds a thread's parser
// What simdjson reads as parse_json() does: most requests, in a fraction of the time. Numbers and
// texts that stand alone are too short for it to matter.
std::optional<Json> read_quickly(std::string_view text) {
  thread_local simdjson::ondemand::parser parser;
  thread_local std::string padded;
  if (text.size() > kMostQuickBytes || may_have_surrogates(text)) return std::nullopt;
  padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  padded = text;
  simdjson::ondemand::document document;
  if (parser.iterate(padded.data(), padded.size(), padded.capacity()).get(document))
    return std::nullopt;
  Json json;
  if (!copy_document(document, json)) return std::nullopt;
  return json;
}

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

Expected<Json> read_json_exactly(std::string_view text) {
  const Marks marks = count_marks(text);
  if (marks.values > kMostJsonValues)
    return usage_error("invalid JSON: more than {} values", kMostJsonValues);
  auto json = parse_json(text);
  if (!json) return usage_error("{}", json.error().message);
  if (count_members(*json) != marks.members)
    return usage_error("invalid JSON: an object names a key twice");
  return json;
}

Expected<Json> read_json(std::string_view text) {
  if (auto json = read_quickly(text)) return std::move(*json);
  return read_json_exactly(text);
}

Expected<Json> read_json_object(std::string_view text) {
  ASSIGN_OR_RETURN(auto json, read_json(text));
  if (!json.is_object()) return usage_error("expected a JSON object, found {}", json.type_name());
  return json;
}

}  // namespace redqueen::serve
