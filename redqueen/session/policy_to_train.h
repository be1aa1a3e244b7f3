// Loads the policy that a run trains, with its adapters.
#pragma once

#include <memory>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

// Refuses a policy that cannot be trained whatever it holds: none, an endpoint, a folder that does
// not exist or that holds a run. Loads nothing, so that it can be asked before work is announced.
Status check_policy_to_train(const PolicySettings& policy);

// Loads a policy as load_embedded_policy() does, with the adapters that [train.lora], which is
// settings.table<LoraConfig>(), asks for: the policy's own or fresh ones.
Expected<std::unique_ptr<EmbeddedPolicy>> load_policy_to_train(const TrainSettings& settings);

}  // namespace redqueen
