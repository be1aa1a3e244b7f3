// Loads policies into this process, for load_policy(). A program without libtorch has these
// functions as well: they say that it has no such policies.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/policy/policy.h"
#include "redqueen/policy/token_policy.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

inline constexpr std::string_view kEndpointPrefix = "openai:";  // of a policy that is elsewhere

// Loads the policy of settings.policy.path, a folder, into this process.
Expected<std::unique_ptr<Policy>> load_policy_folder(const TrainSettings& settings);

// Wraps a policy of this process so that a listener hears it draw; null for one behind an endpoint.
// Refers to the policy.
std::unique_ptr<TokenPolicy> token_policy_of(const Policy& policy);

// Puts the weights of a checkpoint folder into a policy of this process
// (exchange_weights); null for one behind an endpoint. Refers to the policy.
using WeightLoader = std::function<Status(const std::filesystem::path& folder)>;
WeightLoader weight_loader_of(Policy& policy);

}  // namespace redqueen
