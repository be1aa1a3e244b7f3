#include "redqueen/recipes/recipes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "redqueen/base/text.h"
#include "redqueen/recipes/azr/azr_recipe.h"
#include "redqueen/recipes/evoenv/evoenv_recipe.h"
#include "redqueen/recipes/genenv/genenv_recipe.h"
#include "redqueen/recipes/rlve/rlve_recipe.h"

namespace redqueen {

// Training, evaluation and reports know a recipe by its line here, and by nothing else.
std::span<const RecipeEntry> recipes() {
  static const std::array kRecipes{azr::azr_recipe(), evoenv::evoenv_recipe(),
                                   genenv::genenv_recipe(), rlve::rlve_recipe()};
  return kRecipes;
}

Expected<const RecipeEntry*> find_recipe(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RecipeEntry& entry : recipes()) {
    if (entry.name == name) return &entry;
    names.push_back(entry.name);
  }
  return usage_error("there is no recipe \"{}\"{}; there are {}", name, did_you_mean(name, names),
                     fmt::join(names, ", "));
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

namespace {

Expected<std::vector<LearnerSettings>> checked_learners(const RecipeEntry& recipe,
                                                        const TrainSettings& settings) {
  if (recipe.learners == nullptr)
    return std::vector<LearnerSettings>{{"", settings.policy, settings.trainer}};
  std::vector<LearnerSettings> learners = recipe.learners(settings);
  if (learners.empty()) return failure("the recipe {} has no policy to train", recipe.name);
  if (learners.size() == 1) return learners;
  std::set<std::string> roles;
  for (const LearnerSettings& learner : learners) {
    const bool usable = !learner.role.empty() && learner.role.find('/') == std::string::npos;
    if (!usable || !roles.insert(learner.role).second) {
      return failure("the recipe {} cannot train a policy for the role \"{}\": roles name folders",
                     recipe.name, learner.role);
    }
  }
  return learners;
}

}  // namespace

Expected<std::vector<LearnerSettings>> learners_of(const RecipeEntry& recipe,
                                                   const TrainSettings& settings) {
  ASSIGN_OR_RETURN(std::vector<LearnerSettings> learners, checked_learners(recipe, settings));
  if (recipe.calls != nullptr) {
    for (LearnerSettings& learner : learners) learner.calls = recipe.calls(settings, learner.role);
  }
  return learners;
}

sandbox::SandboxConfig sandbox_config(const TrainSettings& settings,
                                      std::span<const RecipeEntry> entries) {
  sandbox::SandboxConfig config = settings.sandbox.config();
  for (const RecipeEntry& entry : entries) {
    if (entry.preludes == nullptr) continue;
    for (std::string& prelude : entry.preludes()) config.preludes.push_back(std::move(prelude));
  }
  return config;
}

EngineOptions engine_options(const TrainSettings& settings, Resources resources,
                             std::span<const RecipeEntry> entries) {
  EngineOptions options{.resources = std::move(resources),
                        .sandbox = sandbox_config(settings, entries)};
  for (const RecipeEntry& entry : entries) {
    if (entry.environments == nullptr) continue;
    std::ranges::move(entry.environments(settings, options.resources),
                      std::back_inserter(options.sources));
  }
  return options;
}

}  // namespace redqueen
