// Attention over packed groups on the CPU by the kernel that decodes (cpu/row_attention.h), so that
// a token that is trained on comes to the bits that it came to when it was sampled.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/checkpoint/attention_rule.h"
#include "redqueen/model/packed_groups.h"

namespace redqueen {

struct RowsAttended {
  at::Tensor out;  // [T, heads, head_dim]
  at::Tensor lse;  // [T, heads] float32
};

// Returns whether the kernel takes such queries: on the CPU, in float32 and bfloat16.
bool has_row_attention(const at::Tensor& q);

// Every token to those of its segment up to itself and, behind a shared prompt, to that, within the
// rule's window. q: [T, heads, head_dim]; k, v: [T, kv_heads, head_dim]; all dense.
RowsAttended attend_packed_rows(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                const PackedGroups& packed, const AttentionRule& rule);

}  // namespace redqueen
