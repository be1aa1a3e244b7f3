// EvoEnv: the policy writes the environments that it trains on (algorithm 1 of the paper).
#pragma once

#include <memory>

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::evoenv {

Status check_evoenv(const TrainSettings& settings, const Engine& engine);
Expected<std::unique_ptr<Recipe>> make_evoenv(const RecipeContext& context);

}  // namespace redqueen::evoenv
