// The messages between the processes of one training run, as JSON; rank_service.h has the
// conversation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/policy/policy.h"
#include "redqueen/session/distributed/local_learner.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

Json to_message(const SampleRequest& request);
Json to_message(const SampleParameters& parameters);
Json to_message(const CompletionGroup& group);
Json to_message(const ScoredGroup& group);
Json to_message(const Error& error);

// Role and number of parameters of every learner, which all ranks must agree on; and the same in
// words.
Json learners_message(std::span<const LocalLearner> learners);
std::string learners_text(const Json& message);
// True if its gradients live on a GPU.
bool uses_gpu(const LocalLearner& learner);

// Messages come from the same program: what is not there, or of another type, is a fault that
// throws.
SampleRequest sample_request(const Json& message);
SampleParameters sample_parameters(const Json& message);
CompletionGroup completion_group(const Json& message);
ScoredGroup scored_group(const Json& message);
Error error_of(const Json& message);

}  // namespace redqueen
