#include "redqueen/recipes/recipes.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "redqueen/base/text.h"
#include "redqueen/data_sets/audit.h"
#include "redqueen/recipes/azr/azr_recipe.h"
#include "redqueen/recipes/evoenv/evoenv_recipe.h"
#include "redqueen/recipes/genenv/genenv_recipe.h"
#include "redqueen/recipes/rlve/rlve_recipe.h"

namespace redqueen {

// The rest of the program knows a recipe by its line here, and by nothing else.
std::span<const RecipeType* const> recipes() {
  static const std::array<const RecipeType*, 4> kRecipes{
      &azr::azr_recipe(), &evoenv::evoenv_recipe(), &genenv::genenv_recipe(), &rlve::rlve_recipe()};
  return kRecipes;
}

Expected<const RecipeType*> find_recipe(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RecipeType* type : recipes()) {
    if (type->name() == name) return type;
    names.push_back(type->name());
  }
  return usage_error("there is no recipe \"{}\"{}; there are {}", name, did_you_mean(name, names),
                     fmt::join(names, ", "));
}

namespace {

Status check_roles(const RecipeType& recipe, const std::vector<LearnerSettings>& learners) {
  if (learners.empty()) return failure("the recipe {} has no policy to train", recipe.name());
  if (learners.size() == 1) return {};
  std::set<std::string> roles;
  for (const LearnerSettings& learner : learners) {
    const bool usable = !learner.role.empty() && learner.role.find('/') == std::string::npos;
    if (!usable || !roles.insert(learner.role).second) {
      return failure("the recipe {} cannot train a policy for the role \"{}\": roles name folders",
                     recipe.name(), learner.role);
    }
  }
  return {};
}

}  // namespace

Expected<std::vector<LearnerSettings>> learners_of(const RecipeType& recipe,
                                                   const TrainSettings& settings) {
  std::vector<LearnerSettings> learners = recipe.learners(settings);
  RETURN_IF_ERROR(check_roles(recipe, learners));
  for (LearnerSettings& learner : learners) learner.calls = recipe.calls(settings, learner.role);
  return learners;
}

sandbox::SandboxConfig sandbox_config(const TrainSettings& settings,
                                      std::span<const RecipeType* const> types) {
  sandbox::SandboxConfig config = settings.sandbox.config();
  for (const RecipeType* type : types) {
    for (std::string& prelude : type->preludes()) config.preludes.push_back(std::move(prelude));
  }
  return config;
}

namespace {

void tell_of_data(const std::string& text) { fmt::print(stderr, "redqueen: {}\n", text); }

}  // namespace

EngineOptions engine_options(const TrainSettings& settings, Resources resources,
                             std::span<const RecipeType* const> types) {
  EngineOptions options{.resources = std::move(resources),
                        .sandbox = sandbox_config(settings, types),
                        .data = {.unsound = settings.data.unsound,
                                 .audited = settings.data.audit,
                                 .cache = data_sets::audit_cache_folder(),
                                 .report = tell_of_data}};
  for (const RecipeType* type : types) {
    std::ranges::move(type->environments(settings, options.resources),
                      std::back_inserter(options.sources));
  }
  return options;
}

}  // namespace redqueen
