// The recipe rlve as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipes.h"

namespace redqueen::rlve {

RecipeEntry rlve_recipe();

}  // namespace redqueen::rlve
