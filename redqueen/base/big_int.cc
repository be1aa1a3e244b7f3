#include "redqueen/base/big_int.h"

#include <algorithm>

namespace redqueen {

double ratio(const BigInt& a, const BigInt& b) {
  if (a == 0) return 0.0;
  // A double holds 53 bits: keep 1000 of the larger number, so that both fit its exponent.
  constexpr unsigned kKeptBits = 1000;
  const unsigned bits = boost::multiprecision::msb(b);
  const unsigned shift = bits > kKeptBits ? bits - kKeptBits : 0;
  const BigInt small = a >> shift;
  const BigInt large = b >> shift;
  return small.convert_to<double>() / large.convert_to<double>();
}

}  // namespace redqueen
