// Attention over packed groups: every token attends causally within its segment, response tokens to
// their prompt too.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/model/packed_groups.h"

namespace redqueen {

// q: [T, heads, head_dim]; k, v: [T, key_value_heads, head_dim] → [T, heads, head_dim].
// Differentiable. A prompt's keys are read once per group, not once per response: attention to the
// prompt and within the response are computed apart and merged by their log-sum-exps, as blocks are
// in FlashAttention (Dao et al., 2022, §3.1); the backward pass of each part is the ordinary one
// given the merged output and log-sum-exp. A window that cuts something off is another matter:
// every response reads what it sees of its prompt's end with its own keys.
at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const c10::intrusive_ptr<PackedGroups>& packed,
                            const AttentionRule& rule);

}  // namespace redqueen
