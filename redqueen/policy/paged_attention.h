// Attention of newly drawn tokens over a paged cache, composed of libtorch's operations: any device and type, shapes
// that depend on the number of rows and the width of the table alone, nothing that waits for the device.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "redqueen/policy/layer_ops.h"
#include "redqueen/policy/paged_cache.h"
#include "redqueen/policy/policy.h"
#include "redqueen/policy/transformer_weights.h"

namespace redqueen {

// The rows of one step, all int64 on the model's device. C rows, of which the last may only fill up; P pages a row.
struct StepRows {
  at::Tensor tokens;          // [C] the new token of each
  at::Tensor table;           // [C, P] pages of the prompt, then its own; 0 beyond
  at::Tensor prompt_lengths;  // [C]
  at::Tensor own_begins;      // [C] kPageTokens × pages of the prompt
  at::Tensor own_lengths;     // [C] before the new token
};

// Tensors of zeros: rows that only fill up.
StepRows empty_step_rows(std::int64_t rows, std::int64_t pages, at::Device device);

// Writes the cache's rows and their next tokens over the first of `rows`; those beyond become empty.
void fill_step_rows(const PagedCache& cache, std::span<const Token> tokens, StepRows& rows);

// What all layers of a step need, computed once.
struct StepPlaces {
  at::Tensor positions;  // [C] of the new tokens
  Rotary rotary;         // of those
  at::Tensor page;       // [C] where the new token is written
  at::Tensor slot;       // [C]
  at::Tensor pages;      // [C × P] of the table
  at::Tensor outside;    // [C, 1, 1, P × kPageTokens] true where a row has no token
};

// rotary: of all positions that can occur. for_kernels: only positions, page and slot, which is all that kernels of our
// own need (cuda_decode.h).
StepPlaces step_places(const StepRows& rows, const Rotary& rotary, bool for_kernels = false);

// qkv: [C, (heads + 2 kv_heads) × head_dim] as projected → [C, heads × head_dim]. Appends to the cache.
at::Tensor attend_pages(const at::Tensor& qkv, const LayerWeights& weights,
                        const ModelConfig& config, const PagedCache::Layer& cache,
                        const StepPlaces& places);

// Writes keys and values [T, kv_heads, head_dim] to their pages and slots, each [T] int64.
void store_keys_values(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& page,
                       const at::Tensor& slot, const PagedCache::Layer& cache);

// [n] int64 on the device.
at::Tensor index_tensor(std::span<const std::int64_t> values, at::Device device);

}  // namespace redqueen
