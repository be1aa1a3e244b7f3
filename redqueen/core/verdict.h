// What a verifier says of one answer.
#pragma once

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

}  // namespace redqueen
