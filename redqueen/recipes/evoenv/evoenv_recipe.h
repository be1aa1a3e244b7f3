// The recipe evoenv as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipes.h"

namespace redqueen::evoenv {

RecipeEntry evoenv_recipe();

}  // namespace redqueen::evoenv
