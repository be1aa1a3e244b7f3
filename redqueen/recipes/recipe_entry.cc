#include "redqueen/recipes/recipe_entry.h"

namespace redqueen {

std::vector<LearnerSettings> RecipeType::learners(const TrainSettings& settings) const {
  return {{"", settings.policy, settings.trainer}};
}

std::vector<SamplingDemand> RecipeType::calls(const TrainSettings& settings,
                                              std::string_view /*role*/) const {
  return {sampling_call(settings, settings.batch.sampled_prompts, settings.batch.rollouts)};
}

SamplingDemand sampling_call(const TrainSettings& settings, std::int64_t prompts,
                             std::int64_t rollouts) {
  const SampleParameters& sampling = settings.sampling;
  return {.prompts = prompts,
          .responses = prompts * rollouts,
          .response_tokens = sampling.max_new_tokens,
          .greedy = sampling.temperature == 0,
          .cuts = sampling.top_k > 0 || sampling.top_p < 1 || sampling.min_p > 0};
}

}  // namespace redqueen
