// Loads the policy that a run trains, with its adapters.
#pragma once

#include <memory>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

// Loads a policy as load_embedded_policy() does, with the adapters that [train.lora], which is
// settings.table<LoraConfig>(), asks for: the policy's own or fresh ones.
Expected<std::unique_ptr<EmbeddedPolicy>> load_policy_to_train(const TrainSettings& settings);

}  // namespace redqueen
