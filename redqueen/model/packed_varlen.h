// packed_attention() by kernels for sequences of different lengths: two calls a layer, however many
// groups there are, and nothing padded. The way of GPUs; attention.h has the way of the CPU.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/model/packed_groups.h"

namespace redqueen {

// True where varlen_attend() is one kernel: bfloat16 on a GPU, with heads that it can hold.
bool has_varlen_kernel(const at::Tensor& q);

// As packed_attention().
at::Tensor packed_attention_varlen(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const c10::intrusive_ptr<PackedGroups>& packed);

}  // namespace redqueen
