// From hidden states to the log-probabilities of given tokens, without keeping a [tokens,
// vocabulary] matrix for large vocabularies.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/model/transformer.h"

namespace redqueen {

// How much of the [R, vocabulary] matrix of logits exists at a time, in numbers of 4 bytes.
struct LogitMemory {
  std::int64_t chunk = std::int64_t{1} << 22;  // computed at once
  std::int64_t kept = std::int64_t{1}
                      << 26;  // kept for the backward pass, which computes the rest again
};

// hidden: [R, d]; output: [vocabulary, d]; targets: [R] int64. Of the distributions
// softmax(hidden · outputᵀ / temperature), in float32, differentiable in hidden and output.
TokenScores token_log_probs(const at::Tensor& hidden, const at::Tensor& output,
                            const at::Tensor& targets, double temperature, bool entropy,
                            const LogitMemory& memory = {});

}  // namespace redqueen
