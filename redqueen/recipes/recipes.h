// The training methods by name.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "redqueen/core/error.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/sandbox_service.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"

namespace redqueen {

// What a recipe works with. Everything referred to outlives the recipe.
struct RecipeContext {
  const TrainSettings& settings;
  Policy& policy;  // sampled from in every step; the trainer changes its weights in place
  std::shared_ptr<SandboxService> sandbox;
  std::filesystem::path run;  // the run's folder, for what is kept as files
  Progress& progress;
};

struct RecipeEntry {
  std::string_view name;
  std::string_view summary;
  // What can be said against the settings before a policy is loaded.
  Status (*check)(const TrainSettings& settings);
  Expected<Recipe> (*make)(const RecipeContext& context);
};

// In the order of their names.
std::span<const RecipeEntry> recipes();

// Finds settings.run.recipe and checks its settings.
Status check_recipe(const TrainSettings& settings);

// By settings.run.recipe.
Expected<Recipe> make_recipe(const RecipeContext& context);

}  // namespace redqueen
