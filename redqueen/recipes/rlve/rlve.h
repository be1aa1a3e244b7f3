// RLVE: reinforcement learning with adaptive verifiable environments (Zeng et al., 2025, algorithm
// 1).
#pragma once

#include <memory>

#include "redqueen/policy/policy.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/suites/suite.h"

namespace redqueen::rlve {

// `policy` is sampled from in every step and must outlive the recipe.
Expected<std::unique_ptr<Recipe>> make_rlve(const TrainSettings& settings, const Suite& suite,
                                            Policy& policy);

}  // namespace redqueen::rlve
