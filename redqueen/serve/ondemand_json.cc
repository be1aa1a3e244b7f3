#include "redqueen/serve/ondemand_json.h"

#include <string>
#include <string_view>

namespace redqueen::serve {
namespace {

constexpr std::size_t kMostQuickMembers = 64;  // names of an object are compared one by one

bool copy_members(simdjson::ondemand::object from, int depth, Json& to) {
  if (depth == kMaxJsonDepth) return false;
  to = Json::object();
  auto& members = to.get_ref<Json::object_t&>();
  for (auto found : from) {
    simdjson::ondemand::field field;
    std::string_view key;
    if (std::move(found).get(field) || field.unescaped_key().get(key)) return false;
    if (members.size() == kMostQuickMembers) return false;
    const auto [place, is_new] = members.emplace(std::string(key), Json());
    if (!is_new || !copy_value(field.value(), depth + 1, place->second)) return false;
  }
  return true;
}

bool copy_items(simdjson::ondemand::array from, int depth, Json& to) {
  if (depth == kMaxJsonDepth) return false;
  to = Json::array();
  auto& items = to.get_ref<Json::array_t&>();
  for (auto found : from) {
    simdjson::ondemand::value value;
    if (std::move(found).get(value) || !copy_value(value, depth + 1, items.emplace_back()))
      return false;
  }
  return true;
}

// Of real numbers none: parse_json() rounds them by way of a wider type.
bool copy_number(simdjson::ondemand::value from, Json& to) {
  simdjson::ondemand::number number;
  if (from.get_number().get(number)) return false;
  if (number.is_uint64()) {
    to = number.get_uint64();
    return true;
  }
  if (!number.is_int64()) return false;
  // Those below 0 alone are signed, as nlohmann's reader has it.
  const std::int64_t value = number.get_int64();
  to = value < 0 ? Json(value) : Json(static_cast<std::uint64_t>(value));
  return true;
}

}  // namespace

bool may_have_surrogates(std::string_view text) {
  for (std::size_t at = text.find("\\u"); at != std::string_view::npos;
       at = text.find("\\u", at + 2)) {
    if (at + 2 < text.size() && (text[at + 2] == 'd' || text[at + 2] == 'D')) return true;
  }
  return false;
}

bool copy_value(simdjson::ondemand::value from, int depth, Json& to) {
  using Type = simdjson::ondemand::json_type;
  Type type{};
  if (from.type().get(type)) return false;
  switch (type) {
    case Type::object: {
      simdjson::ondemand::object object;
      return !from.get_object().get(object) && copy_members(object, depth, to);
    }
    case Type::array: {
      simdjson::ondemand::array array;
      return !from.get_array().get(array) && copy_items(array, depth, to);
    }
    case Type::string: {
      std::string_view text;
      if (from.get_string().get(text)) return false;
      to = std::string(text);
      return true;
    }
    case Type::number:
      return copy_number(from, to);
    case Type::boolean: {
      bool value = false;
      if (from.get_bool().get(value)) return false;
      to = value;
      return true;
    }
    case Type::null: {
      bool is_null = false;
      if (from.is_null().get(is_null) || !is_null) return false;
      to = nullptr;
      return true;
    }
  }
  return false;
}

bool copy_document(simdjson::ondemand::document& from, Json& to) {
  simdjson::ondemand::object object;
  if (!from.get_object().get(object)) return copy_members(object, 0, to) && is_all_read(from);
  simdjson::ondemand::array array;
  return !from.get_array().get(array) && copy_items(array, 0, to) && is_all_read(from);
}

}  // namespace redqueen::serve
