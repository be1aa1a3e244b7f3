// Attention over sequences of different lengths that lie one after another, without padding.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "redqueen/checkpoint/attention_rule.h"

namespace redqueen {

// The rows at which sequences begin.
struct SequenceBounds {
  at::Tensor begins;         // [sequences + 1] int32 on the device; the last is the end
  std::int64_t longest = 0;  // in rows
};

// From the lengths of sequences, none of them 0.
SequenceBounds sequence_bounds(std::span<const std::int64_t> lengths, at::Device device);

// The tensors that the backward pass needs besides inputs and outputs.
struct VarlenState {
  at::Tensor seed, offset;  // of dropout, which is never used
};

struct VarlenAttended {
  at::Tensor out;  // [queries, heads, head_dim]
  at::Tensor lse;  // [heads, queries] float32, natural log of the sum of exponentials
  VarlenState state;
};

struct VarlenGradients {
  at::Tensor q, k, v;
};

// q: [queries, heads, head_dim]; k, v: [keys, key_value_heads, head_dim]. The i-th sequence of
// queries attends to the i-th of keys; causal: both end with the same token, and a query attends to
// its own and those before it, within the rule's window if it has one. With neither a window nor a
// rule that changes scores, causal sequences are of one length. In bfloat16 on a GPU one call of
// FlashAttention 2 (Dao, 2023), unless the rule changes scores; otherwise sequence by sequence, and
// windows and changed scores in blocks of queries.
VarlenAttended varlen_attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                             const SequenceBounds& queries, const SequenceBounds& keys, bool causal,
                             const AttentionRule& rule);

// `done` may hold an output and log-sum-exps that other keys took part in, too: the gradients are
// then those of this part.
VarlenGradients varlen_attend_backward(const at::Tensor& grad, const at::Tensor& q,
                                       const at::Tensor& k, const at::Tensor& v,
                                       const VarlenAttended& done, const SequenceBounds& queries,
                                       const SequenceBounds& keys, bool causal,
                                       const AttentionRule& rule);

// True where varlen_attend() is one kernel, unless the rule changes scores: bfloat16 on a GPU, with
// heads that it can hold.
bool has_varlen_kernel(const at::Tensor& q);

}  // namespace redqueen
