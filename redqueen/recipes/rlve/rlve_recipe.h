// The recipe rlve as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::rlve {

const RecipeType& rlve_recipe();

}  // namespace redqueen::rlve
