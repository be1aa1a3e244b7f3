// From hidden states to the log-probabilities of given tokens, without keeping a [tokens,
// vocabulary] matrix for large vocabularies.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/policy/transformer.h"

namespace redqueen {

// hidden: [R, d]; output: [vocabulary, d]; targets: [R] int64. Of the distributions softmax(hidden
// · outputᵀ / temperature), in float32, differentiable in hidden and output. Logits are made some
// rows at a time; those that fit a fixed budget are kept for the backward pass, the others are made
// again.
TokenScores token_log_probs(const at::Tensor& hidden, const at::Tensor& output,
                            const at::Tensor& targets, double temperature, bool entropy);

}  // namespace redqueen
