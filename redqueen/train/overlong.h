// Shapes what responses earn that are too long, as DAPO does (Yu et al., 2025, section 3.4): those
// that were cut are masked from the loss, and those that come close to the limit pay for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "redqueen/train/rollout.h"

namespace redqueen {

struct OverlongOptions {
  // Overlong filtering: tokens of a response that was cut are not trained. Its reward still counts
  // in its group's mean.
  bool mask_cut = false;
  // Soft overlong punishment: tokens before `longest` in which the reward falls; 0: off.
  std::int64_t cache = 0;    // L_cache
  std::int64_t longest = 0;  // L_max, at least `cache`
};

// Equation 13: 0 up to L_max − L_cache tokens, then falling evenly to −1 at L_max, and −1 beyond.
// Without a cache 0.
double overlong_reward(std::int64_t tokens, const OverlongOptions& options);

// The responses of a batch that were masked or punished.
struct OverlongCounts {
  std::size_t masked = 0;    // responses
  std::size_t punished = 0;  // responses with a reward below 0 of their length
  double punishment = 0;     // sum of those rewards
};

// Adds overlong_reward() to the rewards of responses of one turn, and masks those that were cut:
// all their tokens count as given. A response of several turns is limited turn by turn, so its
// length is not judged.
OverlongCounts apply_overlong(std::span<ScoredGroup> groups, const OverlongOptions& options);

}  // namespace redqueen
