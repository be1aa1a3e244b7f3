#include "redqueen/suites/synthetic_learner.h"

#include <algorithm>
#include <cmath>

namespace redqueen {

double SyntheticLearner::solves(int level) const {
  return 1 / (1 + std::exp((level - skill) / spread));
}

SimulationResult simulate(const CurriculumOptions& curriculum, const SimulationOptions& options,
                          SyntheticLearner learner) {
  const auto rule = make_level_rule(curriculum, options.max_level, options.rollouts);
  SimulationResult result;
  for (int step = 1; step <= options.steps; ++step) {
    Rng rng({.seed = options.seed,
             .purpose = hash_name("synthetic learner"),
             .step = static_cast<std::uint64_t>(step)});
    double taught = 0;
    for (int group = 0; group < options.groups; ++group) {
      const int level = rule->draw(rng);
      int solved = 0;
      for (int rollout = 0; rollout < options.rollouts; ++rollout) {
        const bool right = rng.chance(learner.solves(level));
        rule->record(level, right);
        solved += right;
      }
      const double share = static_cast<double>(solved) / options.rollouts;
      taught += 4 * share * (1 - share);
      result.effective_share += solved > 0 && solved < options.rollouts;
    }
    learner.skill += learner.rate * taught / options.groups;
    if (step == options.forgets_at) learner.skill = std::max(0.0, learner.skill - options.forgets);
    rule->end_step();
    result.mean_skill += learner.skill;
  }
  result.skill = learner.skill;
  result.mean_skill /= options.steps;
  result.effective_share /= static_cast<double>(options.steps) * options.groups;
  return result;
}

}  // namespace redqueen
