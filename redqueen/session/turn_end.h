// Finds out whether a policy can end its turn where its chat template does.
#pragma once

#include <span>
#include <string>

#include "redqueen/policy/policy.h"

namespace redqueen {

// A sentence where the token with which the chat template ends an assistant's turn is no end token
// of the policy, so that responses run on past it: what it is, and what to set. Empty: it is one,
// or `stop` names it, or the template marks the end by no special token, or the policy has no
// template or stands behind an endpoint.
std::string turn_end_warning(const Policy& policy, std::span<const std::string> stop);

}  // namespace redqueen
