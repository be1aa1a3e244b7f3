// A learner that is a formula, on which level rules can be compared in a second.
#pragma once

#include <cstdint>

#include "redqueen/suites/level_rule.h"

namespace redqueen {

// It solves a problem of level d with probability 1 / (1 + exp((d − skill) / spread)). A group with
// k of n rollouts solved teaches 4 (k/n) (1 − k/n): nothing if all or none are, as in GRPO. A step
// raises the skill by `rate` times what its groups teach on average.
struct SyntheticLearner {
  double skill = 0;
  double spread = 0.7;
  double rate = 0.1;

  double solves(int level) const;
};

struct SimulationOptions {
  int steps = 400;
  int groups = 16;  // a step
  int rollouts = 8;
  int max_level = 20;
  int forgets_at = 0;  // after this step the skill falls by `forgets` levels; 0: never
  double forgets = 6;
  std::uint64_t seed = 0;
};

struct SimulationResult {
  double skill = 0;            // at the end
  double mean_skill = 0;       // over the steps: how fast it rose
  double effective_share = 0;  // of all groups, those with k neither 0 nor n
};

SimulationResult simulate(const CurriculumOptions& curriculum, const SimulationOptions& options,
                          SyntheticLearner learner = {});

}  // namespace redqueen
