// The differentiable pieces of a transformer layer, on packed tokens: T tokens of all sequences one
// after another, no padding. Written so that the backward pass touches memory as seldom as it can.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "redqueen/checkpoint/activation.h"
#include "redqueen/checkpoint/attention_rule.h"

namespace redqueen {

// How a family normalises.
struct Norm {
  double eps = 0;
  bool plus_one = false;  // by 1 + weight instead of weight
};

// x / √(mean(x²) + eps) × weight over the last dimension (Zhang & Sennrich, "Root Mean Square Layer
// Normalization", 2019). x: [..., d]; weight: [d]. Computed in float32, returned in x's type: the
// product with `weight` is one of that type, that with 1 + weight is rounded to it at the end.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, const Norm& norm);

// Matrices that are multiplied as one. `stacked` is the memory of `parts`, from its first row to
// its last; likewise `stacked_bias` of `biases`, which may be undefined and empty. Two or three
// parts.
struct StackedWeights {
  at::Tensor stacked;              // [out, in]
  std::vector<at::Tensor> parts;   // leaves that receive the gradients: [out_i, in]
  at::Tensor stacked_bias;         // [out]
  std::vector<at::Tensor> biases;  // leaves: [out_i]
};

// x · stackedᵀ + stacked_bias. x: [T, in] → [T, out].
at::Tensor stacked_linear(const at::Tensor& x, const StackedWeights& weights);

// activation(gate) × up (Shazeer, "GLU Variants Improve Transformer", 2020). gate_up: [T, 2 ×
// inner], gate first → [T, inner].
at::Tensor gated(const at::Tensor& gate_up, Activation activation);

// Cosines and sines of rotary positions (rotary.h): each [T, 1, head_dim / 2]. Undefined for layers
// that do not rotate.
struct Rotary {
  at::Tensor cos;
  at::Tensor sin;
};

// cap × tanh(x / cap); x itself if the cap is 0.
at::Tensor capped(const at::Tensor& x, double cap);

// Applies the rule to scaled products of queries and keys, before masks, and returns the scores; a
// rule that changes none returns the products. For decoding: it has no backward pass, which
// fused_attention.cc has.
at::Tensor ruled_scores(const at::Tensor& products, const AttentionRule& rule);

// Of layers without a window, and of those with one where they differ (else undefined).
struct Rotaries {
  Rotary full;
  Rotary windowed;
};

// Rotates pairs (i, i + head_dim / 2) of every head. x: [T, heads, head_dim].
at::Tensor rotate(const at::Tensor& x, const Rotary& rotary);

}  // namespace redqueen
