// One call of libtorch's fused attention, forward and backward, with the log-sum-exps that parts of
// attention are merged by. In float32 and bfloat16 on the CPU, in float32 on GPUs. Where the rule
// changes scores, which no fused attention does, composed of products.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/checkpoint/attention_rule.h"

namespace redqueen {

struct Attended {
  at::Tensor out;  // [batch, heads, length, head_dim]
  at::Tensor lse;  // [batch, heads, length] float32, natural log of the sum of exponentials
};

struct Gradients {
  at::Tensor q, k, v;
};

struct FusedAttention {
  AttentionRule rule;   // its window is in the mask
  bool causal = false;  // queries and keys are of one length, and a query sees those up to its own;
                        // if the rule changes scores, that is in the mask, too
  at::Tensor mask = {};  // [length, keys], added to scores; undefined: nothing
};

// q: [batch, heads, length, head_dim]; k, v: [batch, heads, keys, head_dim].
Attended attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const FusedAttention& how);

// `done` may hold an output and log-sum-exps that other keys took part in, too: the gradients are
// then those of this part.
Gradients attend_backward(const at::Tensor& grad, const at::Tensor& q, const at::Tensor& k,
                          const at::Tensor& v, const Attended& done, const FusedAttention& how);

}  // namespace redqueen
