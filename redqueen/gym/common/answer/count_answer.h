// Rewards and guesses of answers that are one integer, paid by its closeness to the right one.
#pragma once

#include "redqueen/base/big_int.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/reward.h"
#include "redqueen/core/verdict.h"
#include "redqueen/gym/common/parameter/random_integer.h"

namespace redqueen {

// (min/max)^10; an answer below `least` counts as malformed.
inline double count_reward(const BigInt& answer, const BigInt& reference, int least) {
  if (answer < least) return kMalformedReward;
  return closeness_reward(answer, reference);
}

// A guess of the right size: uniform in 1 … 2·reference + 8. reference ≥ 0.
inline BigInt random_count(const BigInt& reference, Rng& rng) {
  return random_integer(1, 2 * reference + 8, rng);
}

// Uniform in the upper half of 1 … limit, but not below `least`: problems of a level then have its
// size. least ≤ limit.
inline std::int64_t draw_upper_half(std::int64_t least, std::int64_t limit, Rng& rng) {
  return rng.integer(std::max(least, limit / 2), limit);
}

}  // namespace redqueen
