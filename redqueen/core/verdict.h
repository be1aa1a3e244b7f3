// Verdicts: what an answer earns, and whether it is right.
#pragma once

#include <cassert>
#include <cmath>

namespace redqueen {

// Rewards that most environments share.
inline constexpr double kMalformedReward = -1.0;  // no answer, or not of the asked form
inline constexpr double kInvalidReward = -0.5;  // of the asked form, but breaks a rule of the task
inline constexpr double kSolvedReward = 1.0;

struct Verdict {
  double reward = kMalformedReward;  // finite, in [−1, 1]
  bool solved = false;  // right; never true of an answer that is merely within rounding of right
  bool well_formed = false;  // of the asked form: reward above −1
  bool operator==(const Verdict&) const = default;
};

// The verdict of a reward: solved from `passing` on, well formed above kMalformedReward. A reward
// that is not finite counts as malformed.
inline Verdict verdict_of(double reward, double passing = kSolvedReward) {
  assert(reward >= -1.0 && reward <= 1.0);
  if (!std::isfinite(reward)) reward = kMalformedReward;
  return {.reward = reward, .solved = reward >= passing, .well_formed = reward > kMalformedReward};
}

}  // namespace redqueen
