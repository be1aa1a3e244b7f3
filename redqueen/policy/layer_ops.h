// The differentiable pieces of a transformer layer, on packed tokens: T tokens of all sequences one
// after another, no padding. Written so that the backward pass touches memory as seldom as it can.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace redqueen {

// x / √(mean(x²) + eps) × weight over the last dimension (Zhang & Sennrich, "Root Mean Square Layer
// Normalization", 2019). x: [..., d]; weight: [d]. Computed in float32, returned in x's type.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

// x · stackedᵀ. x: [T, in]; stacked: [out, in]. `parts` are the leaves that `stacked` is the memory
// of, from its first row to its last; they receive the gradients.
at::Tensor stacked_linear(const at::Tensor& x, const at::Tensor& stacked,
                          const std::vector<at::Tensor>& parts);

// silu(gate) × up (Shazeer, "GLU Variants Improve Transformer", 2020). gate_up: [T, 2 × inner],
// gate first → [T, inner].
at::Tensor swiglu(const at::Tensor& gate_up);

// Cosines and sines of rotary positions: each [T, 1, head_dim / 2].
struct Rotary {
  at::Tensor cos;
  at::Tensor sin;
};

// positions: [T], int64. Angles position × theta^(−2i / head_dim) (Su et al., "RoFormer", 2021, eq.
// 15), computed in float32 as transformers does, given in `dtype`.
Rotary rotary_table(const at::Tensor& positions, int head_dim, double theta, at::ScalarType dtype);

// Rotates pairs (i, i + head_dim / 2) of every head. x: [T, heads, head_dim].
at::Tensor rotate(const at::Tensor& x, const Rotary& rotary);

}  // namespace redqueen
