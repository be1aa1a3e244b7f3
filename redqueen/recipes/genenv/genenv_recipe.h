// The recipe genenv as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipes.h"

namespace redqueen::genenv {

RecipeEntry genenv_recipe();

}  // namespace redqueen::genenv
