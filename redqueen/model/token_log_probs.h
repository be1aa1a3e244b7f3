// Computes the log-probabilities of given tokens from hidden states, without a [tokens, vocabulary]
// matrix: logits are made tile by tile, and a soft-max over the vocabulary is put together from its
// tiles (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). Entropy comes
// with it; the penalties of train/objective.h (k1, k2, k3) are functions of the log-probabilities.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "redqueen/model/logit_memory.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// hidden: [R, d]; output: [vocabulary, d]; targets: [R] int64. The distributions are softmax(z /
// temperature) with z = hidden · outputᵀ, or cap × tanh of that over the cap if it is not 0, in
// float32, differentiable in hidden and output. Without `memory`: logit_memory() of the device.
TokenScores token_log_probs(const at::Tensor& hidden, const at::Tensor& output,
                            const at::Tensor& targets, double temperature, bool entropy,
                            const std::optional<LogitMemory>& memory = {}, double cap = 0);

}  // namespace redqueen
