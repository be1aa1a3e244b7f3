// packed_attention() by kernels for sequences of different lengths: two calls a layer, or one with
// a window, however many groups there are, and nothing padded. The way of GPUs, and of windows
// everywhere; attention.h has the way of the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/model/packed_groups.h"

namespace redqueen {

// As packed_attention().
at::Tensor packed_attention_varlen(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const c10::intrusive_ptr<PackedGroups>& packed,
                                   const AttentionRule& rule);

}  // namespace redqueen
