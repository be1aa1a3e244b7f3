// What the processes of one training run say to each other, as JSON: see rank_service.h for the conversation.
#pragma once

#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"
#include "redqueen/policy/policy.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

Json to_message(const SampleRequest& request);
Json to_message(const SampleParameters& parameters);
Json to_message(const CompletionGroup& group);
Json to_message(const ScoredGroup& group);
Json to_message(const Error& error);

// Messages come from the same program: what is not there, or of another type, is a fault that throws.
SampleRequest sample_request(const Json& message);
SampleParameters sample_parameters(const Json& message);
CompletionGroup completion_group(const Json& message);
ScoredGroup scored_group(const Json& message);
Error error_of(const Json& message);

}  // namespace redqueen
