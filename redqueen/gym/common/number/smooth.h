// Random numbers with small primes only.
#pragma once

#include <cstdint>

#include "redqueen/base/rng.h"

namespace redqueen {

// A product of random elements of `primes`, one after another until the next would pass `limit`. A
// prime may occur in `primes` more than once, to be drawn more often. limit ≥ 1.
template <typename Primes>
std::int64_t draw_smooth(const Primes& primes, std::int64_t limit, Rng& rng) {
  std::int64_t product = 1;
  for (std::int64_t prime = rng.choice(primes); product <= limit / prime;
       prime = rng.choice(primes)) {
    product *= prime;
  }
  return product;
}

}  // namespace redqueen
