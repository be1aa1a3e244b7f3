// The Absolute Zero Reasoner (Zhao et al., 2025, algorithm 1): one policy proposes tasks about programs and solves them,
// without any data from outside.
#pragma once

#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/recipes.h"

namespace redqueen {

// What can be said against the settings before a policy is loaded.
Status check_azr(const TrainSettings& settings);

Expected<Recipe> make_azr(const RecipeContext& context);

}  // namespace redqueen
