// The values that environment and policy exchange: numbers, arrays, texts, and tuples and
// dictionaries of them, as the spaces of Gymnasium have them.
#pragma once

#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// The types of an array's elements, with NumPy's names.
enum class ElementType : std::uint8_t {
  kBool,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat32,
  kFloat64,
};

inline constexpr auto kElementTypeNames = enum_names<ElementType>({
    {"bool", ElementType::kBool},
    {"int8", ElementType::kInt8},
    {"uint8", ElementType::kUint8},
    {"int16", ElementType::kInt16},
    {"uint16", ElementType::kUint16},
    {"int32", ElementType::kInt32},
    {"uint32", ElementType::kUint32},
    {"int64", ElementType::kInt64},
    {"uint64", ElementType::kUint64},
    {"float32", ElementType::kFloat32},
    {"float64", ElementType::kFloat64},
});

// Calls `visit` with a zero of the C++ type that holds an element.
template <typename Visitor>
decltype(auto) visit_element_type(ElementType type, Visitor&& visit) {
  switch (type) {
    case ElementType::kBool:
      return visit(bool{});
    case ElementType::kInt8:
      return visit(std::int8_t{});
    case ElementType::kUint8:
      return visit(std::uint8_t{});
    case ElementType::kInt16:
      return visit(std::int16_t{});
    case ElementType::kUint16:
      return visit(std::uint16_t{});
    case ElementType::kInt32:
      return visit(std::int32_t{});
    case ElementType::kUint32:
      return visit(std::uint32_t{});
    case ElementType::kInt64:
      return visit(std::int64_t{});
    case ElementType::kUint64:
      return visit(std::uint64_t{});
    case ElementType::kFloat32:
      return visit(float{});
    case ElementType::kFloat64:
      break;
  }
  return visit(double{});
}

// Bytes of one element.
std::size_t element_size(ElementType type);

// The product of the lengths; 1 of a shape without axes.
std::size_t element_count(std::span<const std::int64_t> shape);

// An array as NumPy has it: row-major, elements in the byte order of the machine.
struct Array {
  ElementType type = ElementType::kFloat64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;  // element_count(shape) · element_size(type)

  // Zeros of this type and shape.
  static Array zeros(ElementType type, std::vector<std::int64_t> shape);

  std::size_t size() const { return element_count(shape); }

  // The elements; T is the C++ type of `type`.
  template <typename T>
  std::span<T> elements() {
    assert(bytes.size() == size() * sizeof(T));
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> elements() const {
    assert(bytes.size() == size() * sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  bool operator==(const Array&) const = default;
};

// One value: an observation, an action, or a part of one. A policy's `True` is the integer 1.
struct Value {
  using Tuple = std::vector<Value>;
  using Dict = std::vector<std::pair<std::string, Value>>;  // in the order of the space's keys

  std::variant<std::int64_t, double, std::string, Array, Tuple, Dict> form = std::int64_t{0};

  // Bit patterns are not compared: NaN differs from itself, 0.0 equals -0.0 outside of arrays.
  bool operator==(const Value&) const = default;
};

// Writes a value as a line of a trajectory has it: arrays and tuples as (nested) lists,
// dictionaries as objects, NaN and infinities as the strings "NaN", "Inf" and "-Inf".
Json to_json(const Value& value);
Json number_to_json(double number);

// The value that JSON spells: integers, numbers, the three strings above where they stand in a list
// or alone, lists as tuples, objects as dictionaries. true and false are 1 and 0. Fails on null and
// on integers beyond 64 bits.
Expected<Value> value_from_json(const Json& json);

}  // namespace redqueen::arena
