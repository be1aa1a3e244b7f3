// The recipe evoenv as the list of recipes (recipes.cc) sees it.
#pragma once

#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::evoenv {

const RecipeType& evoenv_recipe();

}  // namespace redqueen::evoenv
