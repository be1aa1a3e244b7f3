#include "redqueen/suites/curriculum_settings.h"

#include <utility>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

Expected<CurriculumOptions> options_of(const CurriculumSettings& settings) {
  CurriculumOptions options;
  const auto difficulty =
      kDifficultyNames.get("\"difficulty\"", settings.difficulty.value_or("adaptive"));
  if (!difficulty) return usage_error("{}", difficulty.error().message);
  options.difficulty = *difficulty;
  options.accuracy_threshold = settings.accuracy_threshold.value_or(options.accuracy_threshold);
  options.minimum_groups = settings.minimum_groups.value_or(options.minimum_groups);
  options.width = settings.width.value_or(options.width);
  options.low = settings.low.value_or(options.low);
  options.high = settings.high.value_or(options.high);
  options.exploration = settings.exploration.value_or(options.exploration);
  const bool is_possible = options.accuracy_threshold >= 0 && options.accuracy_threshold <= 1 &&
                           options.minimum_groups >= 1 && options.width >= 1 && options.low >= 0 &&
                           options.high >= options.low && options.exploration >= 0 &&
                           options.exploration <= 1 && settings.rollouts.value_or(1) >= 1;
  if (!is_possible) {
    return usage_error(
        "a curriculum needs accuracy_threshold and exploration in [0, 1], minimum_groups, width "
        "and rollouts >= 1, and 0 <= low <= high");
  }
  if (settings.salt == kTestSalt)
    return usage_error("\"salt\": {} is the split that evaluation asks", kTestSalt);
  return options;
}

}  // namespace

Expected<Curriculum> make_curriculum(const CurriculumSettings& settings,
                                     std::vector<const Environment*> environments,
                                     std::vector<double> weights) {
  if (environments.empty()) return usage_error("a curriculum needs at least one environment");
  ASSIGN_OR_RETURN(const auto options, options_of(settings));
  return Curriculum(std::move(environments), options, settings.rollouts.value_or(8),
                    std::move(weights));
}

DrawnProblem draw_problem(const Curriculum& curriculum, const CurriculumSettings& settings,
                          std::uint64_t drawn) {
  Rng rng({.seed = settings.seed.value_or(0),
           .purpose = hash_name("draws of a served curriculum"),
           .index = drawn});
  const auto [environment, level] = curriculum.draw(rng);
  return {environment, level, drawn, settings.problem_salt()};
}

}  // namespace redqueen
