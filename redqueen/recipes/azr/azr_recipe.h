// The entry of the recipe azr in the list of recipes (recipes.cc).
#pragma once

#include "redqueen/recipes/recipes.h"

namespace redqueen::azr {

RecipeEntry azr_recipe();

}  // namespace redqueen::azr
