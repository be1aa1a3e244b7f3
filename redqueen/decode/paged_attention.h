// Attention of newly drawn tokens over a paged cache, composed of libtorch's operations. It runs on
// any device and type, its shapes depend on the number of rows and the width of the table alone,
// and it never waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "redqueen/decode/paged_cache.h"
#include "redqueen/model/layer_ops.h"
#include "redqueen/model/transformer_layers.h"
#include "redqueen/model/transformer_weights.h"
#include "redqueen/policy/policy.h"

namespace redqueen {

// The rows of one step, all int64 on the model's device. C rows, of which the last may only fill
// up; P pages a row.
struct StepRows {
  at::Tensor tokens;          // [C] the new token of each
  at::Tensor table;           // [C, P] pages of the prompt, then its own; 0 beyond
  at::Tensor prompt_lengths;  // [C]
  at::Tensor own_begins;      // [C] kPageTokens × pages of the prompt
  at::Tensor own_lengths;     // [C] before the new token
};

// Tensors of zeros: rows that only fill up.
StepRows empty_step_rows(std::int64_t rows, std::int64_t pages, at::Device device);

// Writes the cache's rows and their next tokens over the first of `rows`; those beyond become
// empty.
void fill_step_rows(const PagedCache& cache, std::span<const Token> tokens, StepRows& rows);

// Positions and places of a step, computed once for all layers.
struct StepPlaces {
  at::Tensor positions;  // [C] of the new tokens
  Rotaries rotary;       // of those
  at::Tensor page;       // [C] where the new token is written
  at::Tensor slot;       // [C]
  at::Tensor pages;      // [C × P] of the table
  at::Tensor outside;    // [C, 1, 1, P × kPageTokens] true where a row has no token
  at::Tensor unseen;     // as `outside`, and true where a token lies before the window; undefined
                         // without one
};

// rotary: of all positions that can occur. window: of the layers that have one; 0: none has.
// for_kernels: only positions, page and slot, which is all that kernels of our own need
// (cuda_decode.h).
StepPlaces step_places(const StepRows& rows, const Rotaries& rotary, std::int64_t window = 0,
                       bool for_kernels = false);

// qkv: [C, (heads + 2 kv_heads) × head_dim] as projected → [C, heads × head_dim]. Appends to the
// cache.
at::Tensor attend_pages(const at::Tensor& qkv, const LayerWeights& weights,
                        const ModelConfig& config, const PagedCache::Layer& cache,
                        const StepPlaces& places);

// Writes keys and values [T, kv_heads, head_dim] to their pages and slots, each [T] int64.
void store_keys_values(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& page,
                       const at::Tensor& slot, const PagedCache::Layer& cache);

// Reads them back: [T, kv_heads, head_dim].
KeysValues load_keys_values(const at::Tensor& page, const at::Tensor& slot,
                            const PagedCache::Layer& cache);

// [n] int64 on the device.
at::Tensor index_tensor(std::span<const std::int64_t> values, at::Device device);

}  // namespace redqueen
