// Exchanges the weights of a policy that is in use.
#pragma once

#include <filesystem>

#include "redqueen/embedded/embedded_policy.h"

namespace redqueen {

// Writes the weights of a checkpoint folder over those of the policy; adapters that the policy had
// are gone. For a moment both are there. Fails, and changes nothing, if the folder cannot be
// loaded, holds adapters, or has another config.json than the policy.
Status exchange_weights(const EmbeddedPolicy& policy, const std::filesystem::path& folder);

}  // namespace redqueen
