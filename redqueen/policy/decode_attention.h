// Attention of newly drawn tokens on the CPU in float32: query and key norm, rotation, cache and softmax in one pass.
#pragma once

#include <cstdint>

namespace redqueen {

// One layer, one new token for each of `rows` rows.
struct DecodeCall {
  std::int64_t rows, heads, kv_heads, head_dim;
  const float* qkv;              // [rows, heads + 2 × kv_heads, head_dim], as projected
  const float *q_norm, *k_norm;  // [head_dim]; null: queries and keys are not normalised
  float eps;
  const float *cos, *sin;  // [positions, head_dim / 2]
  // Keys are stored transposed, so that the scores of many keys come at once.
  const float* prompt_keys;            // [prompts, kv_heads, head_dim, longest]
  const float* prompt_values;          // [prompts, kv_heads, longest, head_dim]
  std::int64_t longest;                // of all prompts, in tokens
  const std::int64_t* prompt_lengths;  // [prompts]
  const std::int64_t* prompt_of_row;   // [rows]
  float* own_keys;                     // [rows, kv_heads, head_dim, capacity]
  float* own_values;                   // [rows, kv_heads, capacity, head_dim]
  std::int64_t capacity;
  std::int64_t step;  // tokens of the response already cached; the new one becomes its step-th
  float* out;         // [rows, heads, head_dim]
};

// Appends the new keys and values to the cache and attends to prompt and response. The new token's position is its
// prompt's length + step.
void decode_attention(const DecodeCall& call);

}  // namespace redqueen
