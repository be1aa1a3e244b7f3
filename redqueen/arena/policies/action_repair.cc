#include "redqueen/arena/policies/action_repair.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace redqueen::arena {
namespace {

// A number, or numbers in a rectangle.
struct Numbers {
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

std::optional<Numbers> numbers_of(const Value& value);

std::optional<Numbers> numbers_of(const Value::Tuple& tuple) {
  Numbers all{.shape = {static_cast<std::int64_t>(tuple.size())}, .elements = {}};
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    const auto part = numbers_of(tuple[i]);
    if (!part) return std::nullopt;
    std::vector<std::int64_t> shape{all.shape.front()};
    shape.insert(shape.end(), part->shape.begin(), part->shape.end());
    if (i > 0 && shape != all.shape) return std::nullopt;
    all.shape = std::move(shape);
    all.elements.insert(all.elements.end(), part->elements.begin(), part->elements.end());
  }
  return all;
}

Numbers numbers_of(const Array& array) {
  Numbers all{.shape = array.shape, .elements = {}};
  visit_element_type(array.type, [&]<typename T>(T) {
    for (const T element : array.elements<T>()) {
      all.elements.push_back(static_cast<double>(element));
    }
  });
  return all;
}

std::optional<Numbers> numbers_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.form)) {
    return Numbers{.shape = {}, .elements = {static_cast<double>(*number)}};
  }
  if (const auto* number = std::get_if<double>(&value.form)) {
    return Numbers{.shape = {}, .elements = {*number}};
  }
  if (const auto* array = std::get_if<Array>(&value.form)) return numbers_of(*array);
  if (const auto* tuple = std::get_if<Value::Tuple>(&value.form)) return numbers_of(*tuple);
  return std::nullopt;
}

// As NumPy broadcasts; nullopt: it does not.
std::optional<std::vector<double>> broadcast(const Numbers& numbers,
                                             const std::vector<std::int64_t>& shape) {
  if (numbers.shape == shape) return numbers.elements;
  if (numbers.shape.size() > shape.size()) return std::nullopt;
  const std::size_t missing = shape.size() - numbers.shape.size();
  // Elements of `numbers` from one index of an axis to the next; 0 where it is repeated.
  std::vector<std::size_t> strides(shape.size(), 0);
  std::size_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > missing;) {
    const std::int64_t length = numbers.shape[axis - missing];
    if (length != shape[axis] && length != 1) return std::nullopt;
    if (length != 1) strides[axis] = stride;
    stride *= static_cast<std::size_t>(length);
  }
  std::vector<double> elements(element_count(shape));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::size_t rest = i;
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto length = static_cast<std::size_t>(shape[axis]);
      from += rest % length * strides[axis];
      rest /= length;
    }
    elements[i] = numbers.elements[from];
  }
  return elements;
}

struct Bounds {
  std::vector<double> low;
  std::vector<double> high;
};

// An array of this type and shape within the bounds. `otherwise`: for what does not fit at all.
RepairedAction repair_array(ElementType type, const std::vector<std::int64_t>& shape,
                            const Bounds& bounds, bool least_otherwise, const Value& value) {
  RepairedAction result;
  Array array = Array::zeros(type, shape);
  const auto numbers = numbers_of(value);
  const auto elements = numbers ? broadcast(*numbers, shape) : std::nullopt;
  result.repaired = !elements;
  visit_element_type(type, [&]<typename T>(T) {
    auto target = array.elements<T>();
    for (std::size_t i = 0; i < target.size(); ++i) {
      const double low = bound_of(bounds.low, i);
      const double high = bound_of(bounds.high, i);
      double wanted = elements ? (*elements)[i] : least_otherwise ? low : 0.0;
      if (std::isnan(wanted)) {
        result.repaired = true;
        wanted = 0;
      }
      // An integer is cut, a float rounded to its type, before it is held against the bounds.
      if constexpr (std::is_integral_v<T>) wanted = std::trunc(wanted);
      if constexpr (std::is_same_v<T, float>) {
        const double rounded =
            static_cast<double>(static_cast<float>(std::clamp(wanted, -1e38, 1e38)));
        wanted = std::abs(wanted) <= 1e38 ? rounded : wanted;
      }
      double clipped = std::clamp(wanted, low, high);
      if (std::isinf(clipped)) clipped = std::copysign(std::numeric_limits<float>::max(), clipped);
      result.repaired |= clipped != wanted;
      target[i] = static_cast<T>(clipped);
    }
  });
  result.action.form = std::move(array);
  return result;
}

class Repair {
 public:
  explicit Repair(const Value& value) : value_(value) {}

  RepairedAction operator()(const Discrete& space) const {
    const auto numbers = numbers_of(value_);
    const bool one = numbers && numbers->elements.size() == 1 &&
                     !std::holds_alternative<Value::Tuple>(value_.form) &&
                     std::isfinite(numbers->elements.front());
    if (!one) return {Value{space.start}, true};
    if (const auto* exact = std::get_if<std::int64_t>(&value_.form)) {
      const std::int64_t kept = std::clamp(*exact, space.start, space.start + space.n - 1);
      return {Value{kept}, kept != *exact};
    }
    const double cut = std::trunc(numbers->elements.front());
    const double kept = std::clamp(cut, static_cast<double>(space.start),
                                   static_cast<double>(space.start + space.n - 1));
    return {Value{static_cast<std::int64_t>(kept)}, kept != cut};
  }
  RepairedAction operator()(const Box& space) const {
    return repair_array(space.type, space.shape, {space.low, space.high}, false, value_);
  }
  RepairedAction operator()(const MultiDiscrete& space) const {
    Bounds bounds;
    for (std::size_t i = 0; i < space.nvec.size(); ++i) {
      const std::int64_t start = space.start.empty() ? 0 : space.start[i];
      bounds.low.push_back(static_cast<double>(start));
      bounds.high.push_back(static_cast<double>(start + space.nvec[i] - 1));
    }
    const auto length = static_cast<std::int64_t>(space.nvec.size());
    return repair_array(ElementType::kInt64, {length}, bounds, true, value_);
  }
  RepairedAction operator()(const MultiBinary& space) const {
    return repair_array(ElementType::kInt8, space.shape, {{0.0}, {1.0}}, false, value_);
  }
  RepairedAction operator()(const Text& space) const {
    const auto* text = std::get_if<std::string>(&value_.form);
    if (text != nullptr && conforms(Space{space}, value_)) return {value_, false};
    return {blank(Space{space}), true};
  }
  RepairedAction operator()(const TupleSpace& space) const {
    const auto* tuple = std::get_if<Value::Tuple>(&value_.form);
    RepairedAction result{Value{Value::Tuple{}},
                          tuple == nullptr || tuple->size() != space.parts.size()};
    for (std::size_t i = 0; i < space.parts.size(); ++i) {
      const bool there = tuple != nullptr && i < tuple->size();
      auto part = repair_action(space.parts[i], there ? (*tuple)[i] : Value{std::string()});
      result.repaired |= part.repaired;
      std::get<Value::Tuple>(result.action.form).push_back(std::move(part.action));
    }
    return result;
  }
  RepairedAction operator()(const DictSpace& space) const {
    const auto* dict = std::get_if<Value::Dict>(&value_.form);
    RepairedAction result{Value{Value::Dict{}}, dict == nullptr};
    for (const auto& [key, part_space] : space.parts) {
      const Value* found = nullptr;
      for (std::size_t i = 0; dict != nullptr && i < dict->size(); ++i) {
        if ((*dict)[i].first == key) found = &(*dict)[i].second;
      }
      auto part = repair_action(part_space, found != nullptr ? *found : Value{std::string()});
      result.repaired |= part.repaired;
      std::get<Value::Dict>(result.action.form).emplace_back(key, std::move(part.action));
    }
    return result;
  }

 private:
  const Value& value_;
};

}  // namespace

RepairedAction repair_action(const Space& space, const Value& value) {
  return std::visit(Repair(value), space.form);
}

}  // namespace redqueen::arena
