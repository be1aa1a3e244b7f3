// The recipe azr as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::azr {

const RecipeType& azr_recipe();

}  // namespace redqueen::azr
