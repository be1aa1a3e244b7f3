#include "redqueen/serve/json_body.h"

#include <simdjson.h>

#include <optional>

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostQuickBytes = std::size_t{256} << 10;  // bounds a thread's parser
constexpr std::size_t kMostQuickMembers = 64;  // names of an object are compared one by one

// An escaped surrogate, alone or one of a pair: readers differ in what they make of those.
bool may_have_surrogates(std::string_view text) {
  for (std::size_t at = text.find("\\u"); at != std::string_view::npos;
       at = text.find("\\u", at + 2)) {
    if (at + 2 < text.size() && (text[at + 2] == 'd' || text[at + 2] == 'D')) return true;
  }
  return false;
}

// `depth`: lists and objects around it.
bool copy_value(simdjson::dom::element from, int depth, Json& to);

bool copy_members(simdjson::dom::object from, int depth, Json& to) {
  if (from.size() > kMostQuickMembers || depth == kMaxJsonDepth) return false;
  to = Json::object();
  auto& members = to.get_ref<Json::object_t&>();
  members.reserve(from.size());
  for (const auto [key, value] : from) {
    const auto [place, is_new] = members.emplace(std::string(key), Json());
    if (!is_new || !copy_value(value, depth + 1, place->second)) return false;
  }
  return true;
}

bool copy_items(simdjson::dom::array from, int depth, Json& to) {
  if (depth == kMaxJsonDepth) return false;
  to = Json::array();
  auto& items = to.get_ref<Json::array_t&>();
  items.reserve(from.size());
  for (const simdjson::dom::element value : from) {
    if (!copy_value(value, depth + 1, items.emplace_back())) return false;
  }
  return true;
}

// False where parse_json() might make something else of it, or refuse it: real numbers are rounded
// there by way of a wider type.
bool copy_value(simdjson::dom::element from, int depth, Json& to) {
  using Type = simdjson::dom::element_type;
  switch (from.type()) {
    case Type::OBJECT:
      return copy_members(simdjson::dom::object(from), depth, to);
    case Type::ARRAY:
      return copy_items(simdjson::dom::array(from), depth, to);
    case Type::STRING:
      to = std::string(std::string_view(from));
      return true;
    case Type::INT64: {
      // Those below 0 alone are signed, as nlohmann's reader has it.
      const auto value = std::int64_t(from);
      to = value < 0 ? Json(value) : Json(static_cast<std::uint64_t>(value));
      return true;
    }
    case Type::UINT64:
      to = std::uint64_t(from);
      return true;
    case Type::BOOL:
      to = bool(from);
      return true;
    case Type::NULL_VALUE:
      to = nullptr;
      return true;
    default:
      return false;
  }
}

// What simdjson reads as parse_json() does: most requests, in a fraction of the time.
std::optional<Json> read_quickly(std::string_view text) {
  thread_local simdjson::dom::parser kept;
  if (text.size() > kMostQuickBytes || may_have_surrogates(text)) return std::nullopt;
  simdjson::dom::element root;
  if (kept.parse(text.data(), text.size(), true).get(root)) return std::nullopt;
  Json json;
  if (!copy_value(root, 0, json)) return std::nullopt;
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

Expected<Json> read_json_slowly(std::string_view text) {
  const Marks marks = count_marks(text);
  if (marks.values > kMostJsonValues)
    return usage_error("invalid JSON: more than {} values", kMostJsonValues);
  auto json = parse_json(text);
  if (!json) return usage_error("{}", json.error().message);
  if (count_members(*json) != marks.members)
    return usage_error("invalid JSON: an object names a key twice");
  return json;
}

}  // namespace

Expected<Json> read_json(std::string_view text) {
  if (auto json = read_quickly(text)) return std::move(*json);
  return read_json_slowly(text);
}

Expected<Json> read_json_object(std::string_view text) {
  ASSIGN_OR_RETURN(auto json, read_json(text));
  if (!json.is_object()) return usage_error("expected a JSON object, found {}", json.type_name());
  return json;
}

}  // namespace redqueen::serve
