#include "redqueen/base/big_int.h"

#include <cstddef>

namespace redqueen {

double ratio(const BigInt& a, const BigInt& b) {
  if (a == 0) return 0.0;
  // A double holds 53 bits: keep 1000 of the larger number, so that both fit its exponent.
  constexpr std::size_t kKeptBits = 1000;
  const std::size_t bits = boost::multiprecision::msb(b);
  const std::size_t shift = bits > kKeptBits ? bits - kKeptBits : 0;
  const BigInt small = a >> shift;
  const BigInt large = b >> shift;
  return small.convert_to<double>() / large.convert_to<double>();
}

}  // namespace redqueen
