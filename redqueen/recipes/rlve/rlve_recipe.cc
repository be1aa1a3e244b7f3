#include "redqueen/recipes/rlve/rlve_recipe.h"

#include "redqueen/recipes/rlve/partial_rollouts.h"
#include "redqueen/recipes/rlve/rlve.h"
#include "redqueen/recipes/rlve/rlve_settings.h"
#include "redqueen/suites/suite.h"

namespace redqueen::rlve {
namespace {

// Native environments whose difficulty follows the policy.
class RlveRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "rlve"; }

  void declare(TrainSettings& train, run::Settings& settings) const override {
    train.table<RlveSettings>().declare(settings);
  }

  Status check(const TrainSettings& settings, const Engine& engine) const override;
  std::vector<SamplingDemand> calls(const TrainSettings& settings,
                                    std::string_view role) const override;
  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override;
};

Status RlveRecipe::check(const TrainSettings& settings, const Engine& engine) const {
  const CurriculumOptions& curriculum = settings.curriculum;
  if (curriculum.difficulty != Difficulty::kAdaptive && curriculum.low > curriculum.high) {
    return usage_error(
        "curriculum.low is {} and curriculum.high {}: a range that does not rise needs low ≤ high",
        curriculum.low, curriculum.high);
  }
  RETURN_IF_ERROR(check_parts(settings.sampling, settings.table<RlveSettings>().tokens_per_round));
  RETURN_IF_ERROR(engine.load_suite(settings.suite));
  return {};
}

Expected<std::unique_ptr<Recipe>> RlveRecipe::make(const RecipeContext& context) const {
  ASSIGN_OR_RETURN(const Suite suite, context.engine.load_suite(context.settings.suite));
  if (!suite.missing.empty()) context.progress.note(missing_warning(suite));
  return make_rlve(context.settings, suite, context.policy_of("solver"));
}

// In parts, every response that goes on is a prompt of its own, and as many may wait as there are
// places.
std::vector<SamplingDemand> RlveRecipe::calls(const TrainSettings& settings,
                                              std::string_view /*role*/) const {
  const BatchSettings& batch = settings.batch;
  const std::int64_t part = settings.table<RlveSettings>().tokens_per_round;
  SamplingDemand call = sampling_call(
      settings, batch.dynamic_sampling ? batch.sampled_prompts : batch.prompts, batch.rollouts);
  if (part > 0 && part < call.response_tokens) {
    call.prompts = call.responses = settings.policy.max_rows;
    call.begun_tokens = call.response_tokens - part;
    call.response_tokens = part;
    call.limit = "rlve.tokens_per_round";
  }
  return {call};
}

}  // namespace

const RecipeType& rlve_recipe() {
  static const RlveRecipe kRecipe;
  return kRecipe;
}

}  // namespace redqueen::rlve
