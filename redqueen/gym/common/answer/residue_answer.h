// Rewards and prompts of answers that are one residue modulo a fixed number.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "redqueen/core/reward.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// −0.5 outside 0 … modulus − 1, else right or wrong.
inline double residue_reward(std::int64_t answer, std::int64_t reference, std::int64_t modulus) {
  if (answer < 0 || answer >= modulus) return kInvalidReward;
  return exact_reward(answer == reference);
}

// The end of a prompt: what the residue of a fraction is, and the form of the answer.
inline std::string ask_for_fraction_residue(std::int64_t modulus) {
  return fmt::format(
      "It is a fraction p/q; its residue modulo the prime {0} is p·q^(-1), the integer r from 0 to "
      "{1} for which q·r - p is divisible by {0}.\n"
      "Answer with r, one integer.",
      modulus, modulus - 1);
}

}  // namespace redqueen
