// Reads arguments of functions, as Python gives them. What is wrong with one is said in a sentence
// that names it, where nanobind would print the signatures that it does not match.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace redqueen::python {

// Any object whatever, in the signatures that the stub is made of.
using IntHandle = nanobind::typed<nanobind::handle, nanobind::int_>;
using BoolHandle = nanobind::typed<nanobind::handle, nanobind::bool_>;
using FloatHandle = nanobind::typed<nanobind::handle, nanobind::float_>;

// A whole number from 0 to 2^64 - 1: an int, one of NumPy's, whatever has __index__, and no bool.
std::optional<std::uint64_t> whole_number(nanobind::handle value);

// A usage error where the number is none from 0 to `most`.
std::uint64_t number_of(nanobind::handle value, std::string_view name, std::uint64_t most);

// A usage error where it is neither True nor False, nor one of NumPy's.
bool truth_of(nanobind::handle value, std::string_view name);

}  // namespace redqueen::python
