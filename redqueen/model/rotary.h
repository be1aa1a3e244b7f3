// The angles of rotary positions (Su et al., "RoFormer", 2021) under every scaling of
// rope_scaling.h.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/checkpoint/model_config.h"
#include "redqueen/model/layer_ops.h"

namespace redqueen {

// Radians a position, for each pair of a head's dimensions: float32 [head_dim / 2] on the CPU.
// Without scaling theta^(−2i / head_dim) (eq. 15), computed in float32 as transformers does.
at::Tensor rotary_frequencies(const ModelConfig& config);

// Of layers without a window, where those with one differ. positions: [T], int64. Computed in
// float32, given in `dtype` on the device of `positions`.
Rotary rotary_table(const at::Tensor& positions, const ModelConfig& config, at::ScalarType dtype);

// The same for all layers.
Rotaries rotary_tables(const at::Tensor& positions, const ModelConfig& config,
                       at::ScalarType dtype);

// Rows `positions` of tables of all positions; [T] int64.
Rotaries rotaries_at(const Rotaries& all, const at::Tensor& positions);

}  // namespace redqueen
