// Attention of newly drawn tokens on the CPU: query and key norm and rotation, which round as those
// of training do, cache and softmax (model/cpu/row_attention.h).
#pragma once

#include <cstdint>
#include <span>

#include "redqueen/checkpoint/attention_rule.h"
#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

// The pages with a row's keys and values: its prompt's, then its own.
struct DecodeRow {
  std::span<const std::int64_t> prompt_pages;
  std::int64_t prompt_length;
  std::span<const std::int64_t> own_pages;
  std::int64_t own_length;  // before the new token, which becomes the own_length-th
};

// One layer, one new token for each of `rows`. T: float or Bfloat16.
template <typename T>
struct DecodeCall {
  std::span<const DecodeRow> rows;
  std::int64_t heads, kv_heads, head_dim;
  const T* qkv;              // [rows, heads + 2 × kv_heads, head_dim], as projected
  const T *q_norm, *k_norm;  // [head_dim]; null: queries and keys are not normalised
  float eps;
  float norm_offset;   // what is added to q_norm and k_norm: 0 or 1
  AttentionRule rule;  // of the layer
  const T *cos, *sin;  // [positions, head_dim / 2]; null: heads are not rotated
  T* keys;             // of PagedCache::Layer
  T* values;
  T* out;  // [rows, heads, head_dim]
};

// Appends the new keys and values to the cache and attends to prompt and response. The new token's
// position is its prompt's length + own_length.
void decode_attention(const DecodeCall<float>& call);
void decode_attention(const DecodeCall<Bfloat16>& call);

}  // namespace redqueen
