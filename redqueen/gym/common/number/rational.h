// Fractions of any size, always in lowest terms.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "redqueen/base/big_int.h"

namespace redqueen {

using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;

inline BigInt numerator_of(const Rational& q) {
  return BigInt(boost::multiprecision::numerator(q));
}

// ≥ 1.
inline BigInt denominator_of(const Rational& q) {
  return BigInt(boost::multiprecision::denominator(q));
}

inline bool is_integer(const Rational& q) { return boost::multiprecision::denominator(q) == 1; }

// Bits of the longer of numerator and denominator: what arithmetic on it costs.
inline std::size_t bits_of(const Rational& q) {
  const auto bits = [](const auto& integer) {
    return integer == 0 ? std::size_t{0} : boost::multiprecision::msb(abs(integer)) + 1;
  };
  return std::max(bits(boost::multiprecision::numerator(q)),
                  bits(boost::multiprecision::denominator(q)));
}

}  // namespace redqueen
