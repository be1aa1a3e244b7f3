// One layer of the forward pass over packed tokens, shared by scoring and by the prompts of
// generation.
#pragma once

#include <memory>

#include "redqueen/model/layer_ops.h"
#include "redqueen/model/packed_groups.h"
#include "redqueen/model/transformer_weights.h"

namespace redqueen {

// The inputs of every layer besides its activations. Owns all of it: with activation checkpointing
// a backward pass needs it after the Transformer is gone.
struct PassContext {
  std::shared_ptr<const TransformerWeights> weights;
  Rotaries rotary;  // of packed->positions
  c10::intrusive_ptr<PackedGroups> packed;
};

// Rotated keys and values of a layer: [T, key_value_heads, head_dim].
struct KeysValues {
  at::Tensor keys;
  at::Tensor values;
};

// Layer `layer` of pass.weights. x: [T, d] → [T, d]. Hands out the layer's keys and values if
// asked.
at::Tensor layer_forward(const at::Tensor& x, std::size_t layer, const PassContext& pass,
                         KeysValues* keys_values = nullptr);

// Queries, keys and values of normalised x, with their bias if there is one: [T, d] →
// [T, (heads + 2 key_value_heads) × head_dim].
at::Tensor project_qkv(const at::Tensor& x, const LayerWeights& w);

// Tokens [T], int32 or int64 → [T, d].
at::Tensor embed(const TransformerWeights& weights, const at::Tensor& tokens);

// x + attended · o_projᵀ, which is normalised first if the family does so. attended: [T, heads ×
// head_dim]; x: [T, d] → [T, d].
at::Tensor project_attended(const at::Tensor& x, const at::Tensor& attended, const LayerWeights& w);

// The matrices as adapted_linear() and add_adapted() want them, with the adapters that are active.
AdaptedMatrix adapted_qkv(const LayerWeights& w);
AdaptedMatrix adapted_o(const LayerWeights& w);
AdaptedMatrix adapted_gate_up(const LayerWeights& w);
AdaptedMatrix adapted_down(const LayerWeights& w);

// Those of the layer; undefined if it does not rotate.
const Rotary& rotary_of(const LayerWeights& w, const Rotaries& rotaries);

// Queries or keys at their positions: normalised if the family does so (`weight` is defined), then
// rotated if `rotary` is defined. heads: [T, heads, head_dim]. Shares no memory with `heads`.
at::Tensor place_heads(const at::Tensor& heads, const at::Tensor& weight, const Norm& norm,
                       const Rotary& rotary);

// The layer's second half: x + gated block of x, which is normalised first if the family does so.
// x: [T, d] → [T, d].
at::Tensor feed_forward(const at::Tensor& x, const LayerWeights& w);

}  // namespace redqueen
