// GenEnv (Guo et al., 2025, algorithm 1): an agent and an environment policy train each other. The
// environment policy writes tasks near the edge of what the agent can do; the agent learns from
// them by GRPO, the environment policy by reward-weighted regression.
#pragma once

#include <memory>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/recipes/recipe_entry.h"

namespace redqueen::genenv {

inline constexpr const char* kAgentRole = "agent";
inline constexpr const char* kEnvironmentRole = "environment";

Status check_genenv(const TrainSettings& settings, const Engine& engine);

// The agent first, whom evaluations ask; then the environment policy, if it has separate weights.
// Policies behind endpoints do not learn.
std::vector<LearnerSettings> genenv_learners(const TrainSettings& settings);

Expected<std::unique_ptr<Recipe>> make_genenv(const RecipeContext& context);
// With the environments of a suite that is loaded already.
Expected<std::unique_ptr<Recipe>> make_genenv(const RecipeContext& context, const Suite& suite);

}  // namespace redqueen::genenv
