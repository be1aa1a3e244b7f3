#include "redqueen/arena/simulators/space.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

namespace redqueen::arena {
namespace {

constexpr std::size_t kMaxListedBounds = 32;

// ------------------------------------------------------------------------------------------------
// Schemas.

Json bounds_schema(const std::vector<double>& bounds, const std::vector<std::int64_t>& shape) {
  const std::size_t count = element_count(shape);
  if (count > kMaxListedBounds) {
    const auto [least, most] = std::minmax_element(bounds.begin(), bounds.end());
    return Json{{"shape", shape}, {"min", number_to_json(*least)}, {"max", number_to_json(*most)}};
  }
  Array array = Array::zeros(ElementType::kFloat64, shape);
  const auto elements = array.elements<double>();
  for (std::size_t i = 0; i < count; ++i) elements[i] = bounds[bounds.size() == 1 ? 0 : i];
  return to_json(Value{std::move(array)});
}

struct SchemaWriter {
  Json operator()(const Discrete& space) const {
    return Json{{"type", "Discrete"}, {"n", space.n}, {"start", space.start}};
  }
  Json operator()(const Box& space) const {
    Json json{{"type", space.image ? "Image" : "Box"},
              {"shape", space.shape},
              {"dtype", kElementTypeNames.name(space.type)},
              {"low", bounds_schema(space.low, space.shape)},
              {"high", bounds_schema(space.high, space.shape)}};
    if (space.image) {
      json["layout"] = "HWC";
      json["channels"] = space.shape.back();
    }
    if (!space.fields.empty()) json["fields"] = space.fields;
    return json;
  }
  Json operator()(const MultiDiscrete& space) const {
    Json json{{"type", "MultiDiscrete"}, {"nvec", space.nvec}};
    json["start"] =
        space.start.empty() ? std::vector<std::int64_t>(space.nvec.size()) : space.start;
    return json;
  }
  Json operator()(const MultiBinary& space) const {
    return Json{{"type", "MultiBinary"}, {"n", space.shape}};
  }
  Json operator()(const Text& space) const {
    Json json{{"type", "Text"}, {"min_length", space.min_length}, {"max_length", space.max_length}};
    if (!space.charset.empty()) json["charset"] = space.charset;
    return json;
  }
  Json operator()(const TupleSpace& space) const {
    Json parts = Json::array();
    for (const Space& part : space.parts) parts.push_back(schema(part));
    return Json{{"type", "Tuple"}, {"spaces", std::move(parts)}};
  }
  Json operator()(const DictSpace& space) const {
    Json parts = Json::object();
    for (const auto& [key, part] : space.parts) parts[key] = schema(part);
    return Json{{"type", "Dict"}, {"spaces", std::move(parts)}};
  }
};

// ------------------------------------------------------------------------------------------------
// Values of a space.

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

struct Describer {
  std::string operator()(std::int64_t number) const {
    return fmt::format("the integer {}", number);
  }
  std::string operator()(double number) const { return fmt::format("the number {}", number); }
  std::string operator()(const std::string&) const { return "a text"; }
  std::string operator()(const Array& array) const {
    return fmt::format("an array of {} and shape {}", kElementTypeNames.name(array.type),
                       shape_text(array.shape));
  }
  std::string operator()(const Value::Tuple& list) const {
    return fmt::format("a list of {}", list.size());
  }
  std::string operator()(const Value::Dict& dict) const {
    return fmt::format("a dictionary of {}", dict.size());
  }
};

tl::unexpected<Error> mismatch(std::string_view expected, const Value& found) {
  return usage_error("expected {}, found {}", expected, std::visit(Describer{}, found.form));
}

bool is_sound(const Array& array) {
  constexpr std::size_t kMostElements = std::size_t{1} << 28;
  std::size_t count = 1;
  for (const std::int64_t length : array.shape) {
    if (length < 0 || static_cast<std::size_t>(length) > kMostElements) return false;
    count *= static_cast<std::size_t>(length);
    if (count > kMostElements) return false;
  }
  return array.bytes.size() == count * element_size(array.type);
}

// A number of a policy: integers stay integers.
struct Number {
  bool integral = false;
  std::int64_t integer = 0;
  double real = 0;
};

template <typename T>
std::optional<Number> number_of(T element) {
  if constexpr (std::is_floating_point_v<T>) {
    return Number{.real = static_cast<double>(element)};
  } else {
    if (!std::in_range<std::int64_t>(static_cast<std::uint64_t>(element)) &&
        std::is_unsigned_v<T>) {
      return std::nullopt;
    }
    return Number{.integral = true,
                  .integer = static_cast<std::int64_t>(element),
                  .real = static_cast<double>(element)};
  }
}

// Appends the numbers of `value`, which has to have this shape, in row-major order. Arrays may
// stand in lists, and a list or array of one where a number is expected.
bool append_numbers(const Value& value, std::span<const std::int64_t> shape,
                    std::vector<Number>& out) {
  if (const auto* array = std::get_if<Array>(&value.form)) {
    const bool one = shape.empty() && array->size() == 1;
    if (!is_sound(*array) || !(one || std::ranges::equal(array->shape, shape))) return false;
    // An array of bool may arrive with other bytes than 0 and 1.
    const bool is_bool = array->type == ElementType::kBool;
    return visit_element_type(is_bool ? ElementType::kUint8 : array->type, [&]<typename T>(T) {
      for (const T element : array->elements<T>()) {
        const auto number = number_of(element);
        if (!number) return false;
        out.push_back(*number);
      }
      return true;
    });
  }
  if (const auto* list = std::get_if<Value::Tuple>(&value.form)) {
    if (shape.empty()) return list->size() == 1 && append_numbers(list->front(), shape, out);
    if (std::cmp_not_equal(list->size(), shape.front())) return false;
    return std::ranges::all_of(
        *list, [&](const Value& item) { return append_numbers(item, shape.subspan(1), out); });
  }
  if (!shape.empty()) return element_count(shape) == 1 && append_numbers(value, {}, out);
  if (const auto* integer = std::get_if<std::int64_t>(&value.form)) {
    out.push_back(*number_of(*integer));
    return true;
  }
  if (const auto* real = std::get_if<double>(&value.form)) {
    out.push_back(*number_of(*real));
    return true;
  }
  return false;
}

// Stores a number as T; false where T does not have it.
template <typename T>
bool store(const Number& number, T& out) {
  if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(number.real);
    return std::isfinite(out);
  } else if constexpr (std::is_same_v<T, bool>) {
    out = number.integer == 1;
    return number.integral && (number.integer == 0 || number.integer == 1);
  } else {
    if (!number.integral || !std::in_range<T>(number.integer)) return false;
    out = static_cast<T>(number.integer);
    return true;
  }
}

Expected<Array> array_of(ElementType type, const std::vector<std::int64_t>& shape,
                         const Value& value) {
  const auto expected = [&] {
    return fmt::format("finite numbers of {} in the shape {}", kElementTypeNames.name(type),
                       shape_text(shape));
  };
  std::vector<Number> numbers;
  if (!append_numbers(value, shape, numbers)) return mismatch(expected(), value);
  Array array = Array::zeros(type, shape);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool stored = visit_element_type(
        type, [&]<typename T>(T) { return store(numbers[i], array.elements<T>()[i]); });
    if (!stored) {
      return usage_error("expected {}, found {} at {}", expected(), numbers[i].real, i);
    }
  }
  return array;
}

struct Conformer {
  const Value& value;

  Expected<Value> operator()(const Discrete& space) const {
    const std::int64_t last = space.start + space.n - 1;
    std::vector<Number> numbers;
    if (!append_numbers(value, {}, numbers) || !numbers[0].integral ||
        numbers[0].integer < space.start || numbers[0].integer > last) {
      return mismatch(fmt::format("an integer from {} to {}", space.start, last), value);
    }
    return Value{numbers[0].integer};
  }

  Expected<Value> operator()(const Box& space) const {
    ASSIGN_OR_RETURN(Array array, array_of(space.type, space.shape, value));
    return Value{std::move(array)};
  }

  Expected<Value> operator()(const MultiDiscrete& space) const {
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(space.nvec.size())};
    ASSIGN_OR_RETURN(Array array, array_of(ElementType::kInt64, shape, value));
    const auto elements = array.elements<std::int64_t>();
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const std::int64_t start = space.start.empty() ? 0 : space.start[i];
      if (elements[i] < start || elements[i] >= start + space.nvec[i]) {
        return usage_error("expected integers from {} to {} at {}, found {}", start,
                           start + space.nvec[i] - 1, i, elements[i]);
      }
    }
    return Value{std::move(array)};
  }

  Expected<Value> operator()(const MultiBinary& space) const {
    ASSIGN_OR_RETURN(Array array, array_of(ElementType::kInt8, space.shape, value));
    const auto elements = array.elements<std::int8_t>();
    const auto bad = std::ranges::find_if(elements, [](auto bit) { return bit != 0 && bit != 1; });
    if (bad != elements.end()) return usage_error("expected zeros and ones, found {}", *bad);
    return Value{std::move(array)};
  }

  Expected<Value> operator()(const Text& space) const {
    const auto* text = std::get_if<std::string>(&value.form);
    if (text == nullptr) return mismatch("a text", value);
    const auto length = static_cast<std::int64_t>(text->size());
    if (length < space.min_length || length > space.max_length) {
      return usage_error("expected a text of {} to {} bytes, found {}", space.min_length,
                         space.max_length, length);
    }
    const bool known =
        space.charset.empty() || text->find_first_not_of(space.charset) == std::string::npos;
    if (!known) return usage_error("expected a text of the characters {}", space.charset);
    return value;
  }

  Expected<Value> operator()(const TupleSpace& space) const {
    const auto* list = std::get_if<Value::Tuple>(&value.form);
    if (list == nullptr || list->size() != space.parts.size()) {
      return mismatch(fmt::format("a list of {}", space.parts.size()), value);
    }
    Value::Tuple result;
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto part = conform(space.parts[i], (*list)[i]);
      if (!part) return usage_error("at [{}]: {}", i, part.error().message);
      result.push_back(std::move(*part));
    }
    return Value{std::move(result)};
  }

  Expected<Value> operator()(const DictSpace& space) const {
    const auto* dict = std::get_if<Value::Dict>(&value.form);
    if (dict == nullptr || dict->size() != space.parts.size()) {
      return mismatch(fmt::format("a dictionary of {}", space.parts.size()), value);
    }
    Value::Dict result;
    for (const auto& [key, part] : space.parts) {
      const auto found = std::ranges::find(*dict, key, &Value::Dict::value_type::first);
      if (found == dict->end()) return usage_error("the key \"{}\" is missing", key);
      auto item = conform(part, found->second);
      if (!item) return usage_error("at \"{}\": {}", key, item.error().message);
      result.emplace_back(key, std::move(*item));
    }
    return Value{std::move(result)};
  }
};

bool all_finite(const Array& array) {
  const auto finite = [](auto element) { return std::isfinite(element); };
  if (array.type == ElementType::kFloat32) {
    return std::ranges::all_of(array.elements<float>(), finite);
  }
  return array.type != ElementType::kFloat64 ||
         std::ranges::all_of(array.elements<double>(), finite);
}

struct BlankMaker {
  Value operator()(const Discrete& space) const { return Value{space.start}; }
  Value operator()(const Box& space) const { return Value{Array::zeros(space.type, space.shape)}; }
  Value operator()(const MultiDiscrete& space) const {
    Array array = Array::zeros(ElementType::kInt64, {static_cast<std::int64_t>(space.nvec.size())});
    std::ranges::copy(space.start, array.elements<std::int64_t>().begin());
    return Value{std::move(array)};
  }
  Value operator()(const MultiBinary& space) const {
    return Value{Array::zeros(ElementType::kInt8, space.shape)};
  }
  Value operator()(const Text&) const { return Value{std::string()}; }
  Value operator()(const TupleSpace& space) const {
    Value::Tuple list;
    for (const Space& part : space.parts) list.push_back(blank(part));
    return Value{std::move(list)};
  }
  Value operator()(const DictSpace& space) const {
    Value::Dict dict;
    for (const auto& [key, part] : space.parts) dict.emplace_back(key, blank(part));
    return Value{std::move(dict)};
  }
};

}  // namespace

Json schema(const Space& space) { return std::visit(SchemaWriter{}, space.form); }

Expected<Value> conform(const Space& space, const Value& value) {
  return std::visit(Conformer{value}, space.form);
}

bool conforms(const Space& space, const Value& value) {
  if (const auto* discrete = std::get_if<Discrete>(&space.form)) {
    const auto* integer = std::get_if<std::int64_t>(&value.form);
    return integer != nullptr && *integer >= discrete->start &&
           *integer < discrete->start + discrete->n;
  }
  if (const auto* box = std::get_if<Box>(&space.form)) {
    const auto* array = std::get_if<Array>(&value.form);
    return array != nullptr && array->type == box->type && array->shape == box->shape &&
           is_sound(*array) && all_finite(*array);
  }
  const auto result = conform(space, value);
  return result && *result == value;
}

Value blank(const Space& space) { return std::visit(BlankMaker{}, space.form); }

}  // namespace redqueen::arena
