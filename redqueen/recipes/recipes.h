// Lists the training methods of this program, and puts together what all of them bring along.
//
// Recipes include recipe_entry.h instead of this file.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

// Returns this program's recipes, in the order of their names. They live as long as the program.
std::span<const RecipeType* const> recipes();

// Finds a recipe by its name; fails with the names that there are.
Expected<const RecipeType*> find_recipe(std::string_view name);

// Returns the learners of a run, with the calls that are made of them. Fails if there is none, and
// unless several have roles that differ and can name folders.
Expected<std::vector<LearnerSettings>> learners_of(const RecipeType& recipe,
                                                   const TrainSettings& settings);

// Returns settings.sandbox with the preludes of the recipes.
sandbox::SandboxConfig sandbox_config(const TrainSettings& settings,
                                      std::span<const RecipeType* const> types = recipes());

// Returns the options of an engine that these settings ask for, with the environments of the
// recipes.
EngineOptions engine_options(const TrainSettings& settings, Resources resources,
                             std::span<const RecipeType* const> types = recipes());

}  // namespace redqueen
