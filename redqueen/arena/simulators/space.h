// The spaces of Gymnasium: what an observation looks like and which actions there are.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "redqueen/arena/simulators/value.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

struct Space;

// The integers start, …, start + n − 1.
struct Discrete {
  std::int64_t n = 1;
  std::int64_t start = 0;
};

// Arrays of one type and shape.
struct Box {
  ElementType type = ElementType::kFloat32;
  std::vector<std::int64_t> shape;
  std::vector<double> low;  // for each element, or one for all of them; may be infinite
  std::vector<double> high;
  std::vector<std::string> fields = {};  // what each element means, where there are names for it
  bool image = false;                    // [height, width, channels], for eyes
};

// Returns the bound of element `index`: its own, or the one of all elements.
inline double bound_of(const std::vector<double>& bounds, std::size_t index) {
  return bounds.size() == 1 ? bounds.front() : bounds[index];
}

// Arrays of int64: element i is one of start[i], …, start[i] + nvec[i] − 1.
struct MultiDiscrete {
  std::vector<std::int64_t> nvec;
  std::vector<std::int64_t> start;  // as many, or none: zeros
};

// Arrays of int8, each element 0 or 1.
struct MultiBinary {
  std::vector<std::int64_t> shape;
};

// Texts of so many bytes.
struct Text {
  std::int64_t min_length = 1;
  std::int64_t max_length = 1;
  std::string charset = {};  // the characters in it; empty: any
};

struct TupleSpace {
  std::vector<Space> parts;
};

struct DictSpace {
  std::vector<std::pair<std::string, Space>> parts;
};

struct Space {
  std::variant<Discrete, Box, MultiDiscrete, MultiBinary, Text, TupleSpace, DictSpace> form;
};

// Describes a space as the protocol does: {"type": "Box", "shape": [4], "dtype": "float32", "low":
// […], "high": […]}. Where bounds are more than 32 numbers, {"shape", "min", "max"} stands for
// them.
Json schema(const Space& space);

// Brings a policy's value to the form of the space: integers for Discrete, arrays of the space's
// type and shape for Box and its kin, from arrays or (nested) lists of any numbers that fit. What
// lies outside a Box's bounds passes: environments clip or not as they please. A usage error says
// what was expected and what was found: another kind, another shape, NaN or an infinity, an integer
// that is not of the space.
Expected<Value> conform(const Space& space, const Value& value);

// True if conform(space, value) is `value` itself; needs no memory.
bool conforms(const Space& space, const Value& value);

// An observation of zeros (the least value of Discrete spaces, an empty text), with the memory that
// every value of the space needs.
Value blank(const Space& space);

}  // namespace redqueen::arena
