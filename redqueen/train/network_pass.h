// Passes one micro-batch through the network: forward alone, or forward, objective and backward.
#pragma once

#include <span>
#include <vector>

#include "redqueen/model/transformer.h"
#include "redqueen/train/objective.h"
#include "redqueen/train/step_batch.h"

namespace redqueen {

// Log-probabilities of all response tokens that are not given, without gradients.
std::vector<float> score_tokens(const Transformer& transformer, std::span<const TokenGroup> groups,
                                const ScoreOptions& options);

// Adds the gradients of the objective to those of the parameters, unless a token is not finite
// (ObjectiveResult::first_non_finite): then gradients stay as they are.
ObjectiveResult forward_backward(const Transformer& transformer, std::span<const TokenGroup> groups,
                                 const ScoreOptions& score_options, const TokenTerms& terms,
                                 const ObjectiveOptions& objective_options);

}  // namespace redqueen
