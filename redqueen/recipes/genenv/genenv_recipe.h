// The recipe genenv as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::genenv {

const RecipeType& genenv_recipe();

}  // namespace redqueen::genenv
