#include "redqueen/arena/simulators/value.h"

#include <fmt/format.h>

namespace redqueen::arena {
namespace {

// The elements of `array` from `*next` on, along the axes from `axis` on.
Json nested_lists(const Array& array, std::size_t axis, std::size_t* next) {
  if (axis == array.shape.size()) {
    const std::size_t index = (*next)++;
    if (array.type == ElementType::kBool) return array.bytes[index] != std::byte{0};
    return visit_element_type(array.type, [&]<typename T>(T) -> Json {
      const T element = array.elements<T>()[index];
      if constexpr (std::is_floating_point_v<T>) {
        return number_to_json(static_cast<double>(element));
      } else if constexpr (std::is_unsigned_v<T>) {
        return static_cast<std::uint64_t>(element);
      } else {
        return static_cast<std::int64_t>(element);
      }
    });
  }
  Json list = Json::array();
  for (std::int64_t i = 0; i < array.shape[axis]; ++i) {
    list.push_back(nested_lists(array, axis + 1, next));
  }
  return list;
}

struct JsonWriter {
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(double number) const { return number_to_json(number); }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const Array& array) const {
    std::size_t next = 0;
    return nested_lists(array, 0, &next);
  }
  Json operator()(const Value::Tuple& tuple) const {
    Json list = Json::array();
    for (const Value& part : tuple) list.push_back(to_json(part));
    return list;
  }
  Json operator()(const Value::Dict& dict) const {
    Json object = Json::object();
    for (const auto& [key, part] : dict) object[key] = to_json(part);
    return object;
  }
};

Expected<Value> list_from_json(const Json& json) {
  Value::Tuple tuple;
  tuple.reserve(json.size());
  for (const Json& item : json) {
    ASSIGN_OR_RETURN(Value part, value_from_json(item));
    tuple.push_back(std::move(part));
  }
  return Value{std::move(tuple)};
}

Expected<Value> object_from_json(const Json& json) {
  Value::Dict dict;
  for (const auto& [key, item] : json.items()) {
    ASSIGN_OR_RETURN(Value part, value_from_json(item));
    dict.emplace_back(key, std::move(part));
  }
  return Value{std::move(dict)};
}

Value text_from_json(const std::string& text) {
  if (text == "NaN") return Value{std::nan("")};
  if (text == "Inf") return Value{HUGE_VAL};
  if (text == "-Inf") return Value{-HUGE_VAL};
  return Value{text};
}

}  // namespace

std::size_t element_size(ElementType type) {
  return visit_element_type(type, [](auto zero) { return sizeof(zero); });
}

std::size_t element_count(std::span<const std::int64_t> shape) {
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  return count;
}

Array Array::zeros(ElementType type, std::vector<std::int64_t> shape) {
  Array array{.type = type, .shape = std::move(shape)};
  array.bytes.resize(array.size() * element_size(type));
  return array;
}

Json number_to_json(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Inf" : "-Inf";
  return number;
}

Json to_json(const Value& value) { return std::visit(JsonWriter{}, value.form); }

Expected<Value> value_from_json(const Json& json) {
  if (json.is_boolean()) return Value{std::int64_t{json.get<bool>()}};
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (!std::in_range<std::int64_t>(number)) return failure("{} has more than 64 bits", number);
    return Value{static_cast<std::int64_t>(number)};
  }
  if (json.is_number_integer()) return Value{json.get<std::int64_t>()};
  if (json.is_number()) return Value{json.get<double>()};
  if (json.is_string()) return text_from_json(json.get_ref<const std::string&>());
  if (json.is_array()) return list_from_json(json);
  if (json.is_object()) return object_from_json(json);
  return failure("expected a number, a text, a list or an object, found {}",
                 json.is_binary() ? "an integer of more than 64 bits" : json.type_name());
}

}  // namespace redqueen::arena
