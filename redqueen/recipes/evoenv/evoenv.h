// EvoEnv: the policy writes the environments that it trains on (algorithm 1 of the paper).
#pragma once

#include "redqueen/recipes/recipes.h"

namespace redqueen {

Status check_evoenv(const TrainSettings& settings);
Expected<Recipe> make_evoenv(const RecipeContext& context);

}  // namespace redqueen
