// Answers of the form "p/q".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/big_int.h"

namespace redqueen {

// Two integers as written, reduced or not.
struct FractionAnswer {
  BigInt numerator;
  BigInt denominator;
  bool operator==(const FractionAnswer&) const = default;
};

// Exactly one slash between two integers as parse_integer reads them, white space around them
// ignored.
std::optional<FractionAnswer> parse_fraction(std::string_view text);

std::string format_fraction(const FractionAnswer& fraction);

// In lowest terms. Both ≥ 1.
FractionAnswer reduced_fraction(const BigInt& numerator, const BigInt& denominator);

}  // namespace redqueen
