// What a recipe hands to a trainer: groups of scored rollouts, each with the rule that turns
// rewards into advantages.
#pragma once

#include <string>
#include <vector>

#include "redqueen/policy/policy.h"

namespace redqueen {

// How rewards become advantages (advantage.h has the formulas).
enum class AdvantageRule {
  kGroupNormalised,     // GRPO
  kGroupMean,           // Dr. GRPO
  kBatchNormalised,     // REINFORCE++
  kRoleTaskNormalised,  // TRR++
  kWeight,              // reward-weighted regression: the reward is the weight of a likelihood loss
};

// One response and its verdict.
struct ScoredRollout {
  Completion completion;
  double reward = 0;  // finite
  bool solved = false;
  bool well_formed = false;
};

// The rollouts of one prompt.
struct ScoredGroup {
  std::string role;  // who wrote the responses: "solver", "proposer", …
  std::string task;  // the kind of task within the role; with the role, the pool of TRR++
  AdvantageRule rule = AdvantageRule::kGroupNormalised;
  double loss_weight = 1;  // factor of this group's part of the loss (EvoEnv: 0.3 for generators)
  std::vector<Token> prompt;
  std::vector<ScoredRollout> rollouts;
};

}  // namespace redqueen
