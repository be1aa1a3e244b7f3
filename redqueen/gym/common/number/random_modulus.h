// Moduli of counts: none is above the count where that can be, so that the remainder is seldom the
// count itself.
#pragma once

#include <algorithm>
#include <cstdint>

#include "redqueen/base/rng.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/sieve.h"

namespace redqueen {

// A uniform prime of low … high. Throws Retry if a thousand draws bring none. low ≤ high.
inline std::int64_t draw_prime(std::int64_t low, std::int64_t high, Rng& rng) {
  for (int draw = 0; draw < 1000; ++draw) {
    const std::int64_t number = rng.integer(low, high);
    if (is_prime(number)) return number;
  }
  throw Retry();
}

// The largest modulus for a count: it and the limit bound it, but it is not below `least`.
inline std::int64_t largest_modulus(double count, std::int64_t least, std::int64_t limit) {
  return static_cast<std::int64_t>(
      std::clamp(count, static_cast<double>(least), static_cast<double>(limit)));
}

// Uniform in the upper half of 1 … largest_modulus(…), but not below `least`. The count need only
// be roughly known, and may be infinite. 2 ≤ least ≤ limit ≤ 2^53.
inline std::int64_t draw_modulus(double count, std::int64_t least, std::int64_t limit, Rng& rng) {
  const std::int64_t most = largest_modulus(count, least, limit);
  return rng.integer(std::max(least, most / 2), most);
}

// Draws as draw_modulus() does, but a prime. Throws Retry where there is none.
inline std::int64_t draw_prime_modulus(double count, std::int64_t least, std::int64_t limit,
                                       Rng& rng) {
  const std::int64_t most = largest_modulus(count, least, limit);
  return draw_prime(std::max(least, most / 2), most, rng);
}

}  // namespace redqueen
