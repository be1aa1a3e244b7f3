// The Absolute Zero Reasoner (Zhao et al., 2025, algorithm 1): one policy proposes tasks about
// programs and solves them, without any data from outside.
#pragma once

#include <memory>

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::azr {

Expected<std::unique_ptr<Recipe>> make_azr(const RecipeContext& context);

}  // namespace redqueen::azr
