// Expressions whose value is a rational number of moderate size.
#pragma once

#include <optional>

#include "redqueen/data_sets/math_expression.h"

namespace redqueen::data_sets {

// Numerators and denominators have at most so many bits.
inline constexpr std::size_t kMostExactBits = std::size_t{1} << 14;

std::size_t bits_of(const BigInt& value);
std::size_t bits_of(const Rational& value);  // the larger of its two

// The value where arithmetic alone leads to it and it stays small. The size of every result is
// bounded before it is computed.
std::optional<Rational> exact_value(const Expression& e, Work& work);

// True if the form alone shows a whole number from 1 on: sums, products, powers and factorials of
// such.
bool is_natural(const Expression& e);

}  // namespace redqueen::data_sets
