// Attention of newly drawn tokens on the CPU in float32: query and key norm, rotation, cache and
// softmax in one pass.
#pragma once

#include <cstdint>
#include <span>

namespace redqueen {

// The pages with a row's keys and values: its prompt's, then its own.
struct DecodeRow {
  std::span<const std::int64_t> prompt_pages;
  std::int64_t prompt_length;
  std::span<const std::int64_t> own_pages;
  std::int64_t own_length;  // before the new token, which becomes the own_length-th
};

// One layer, one new token for each of `rows`.
struct DecodeCall {
  std::span<const DecodeRow> rows;
  std::int64_t heads, kv_heads, head_dim;
  const float* qkv;              // [rows, heads + 2 × kv_heads, head_dim], as projected
  const float *q_norm, *k_norm;  // [head_dim]; null: queries and keys are not normalised
  float eps;
  const float *cos, *sin;  // [positions, head_dim / 2]
  float* keys;             // of PagedCache::Layer
  float* values;
  float* out;  // [rows, heads, head_dim]
};

// Appends the new keys and values to the cache and attends to prompt and response. The new token's
// position is its prompt's length + own_length.
void decode_attention(const DecodeCall& call);

}  // namespace redqueen
