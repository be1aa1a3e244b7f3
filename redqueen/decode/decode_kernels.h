// Kernels of a decoding step on a GPU, in bfloat16, as functions of plain pointers. nvcc compiles
// their launches (decode_kernels.cu); cuda_decode.cc calls them with tensors. The kernels
// themselves are in decode_kernels.cuh.
#pragma once

#include <cstdint>

#include "redqueen/checkpoint/activation.h"
#include "redqueen/checkpoint/attention_rule.h"

namespace redqueen {

// The upper half of a float32.
struct Bf16 {
  std::uint16_t bits;
};

using Stream = void*;  // a cudaStream_t

constexpr int kKernelPage = 64;      // tokens; as kPageTokens
constexpr int kMostQueries = 8;      // heads that share a key head, at most
constexpr int kAttendThreads = 128;  // of attend_kernel

// Normalises (if there are norms) and rotates queries and keys, and puts keys and values into their
// pages.
struct PlaceCall {
  std::int64_t rows;
  int heads, kv_heads, head_dim;
  const Bf16* qkv;              // [rows, heads + 2 kv_heads, head_dim], as projected
  const Bf16 *q_norm, *k_norm;  // [head_dim] or null
  float eps;
  float norm_offset;                // what is added to q_norm and k_norm: 0 or 1
  const Bf16 *cos, *sin;            // [positions, head_dim / 2] or null: no rotation
  const std::int64_t* positions;    // [rows]
  const std::int64_t *page, *slot;  // [rows]
  Bf16* queries;                    // [rows, heads, head_dim]
  Bf16* keys;                       // [pages, kv_heads, head_dim, kKernelPage]
  Bf16* values;                     // [pages, kv_heads, kKernelPage, head_dim]
};

// Attention of one query a row and head over the pages of its row. A row's slots are numbered
// through its pages; those below prompt_lengths and those from own_begins to own_begins +
// own_lengths hold tokens.
struct AttendCall {
  std::int64_t rows, table_width;
  int heads, kv_heads, head_dim;
  AttentionRule rule;                                             // of the layer
  int splits;                                                     // blocks that share a row's pages
  const Bf16* queries;                                            // [rows, heads, head_dim]
  const Bf16 *keys, *values;                                      // as in PlaceCall
  const std::int64_t* table;                                      // [rows, table_width]
  const std::int64_t *prompt_lengths, *own_begins, *own_lengths;  // [rows]
  float* part;  // [rows, heads, splits, head_dim + 2]; unused if splits is 1
  Bf16* out;    // [rows, heads, head_dim]
};

// out = activation(gate) × up; gate_up: [rows, 2 × inner], inner a multiple of 8.
struct GateCall {
  std::int64_t rows, inner;
  Activation activation;
  const Bf16* gate_up;
  Bf16* out;
};

// A token a row: the first whose cumulative probability exceeds uniform × the sum.
struct DrawCall {
  std::int64_t rows, vocabulary;
  const Bf16* logits;  // [rows, vocabulary]
  float inverse_temperature;
  const float* uniforms;  // [rows]
  std::int64_t* tokens;   // [rows]
  float* log_probs;       // [rows]
};

// Blocks that should share a row's pages: enough to fill the GPU.
int attend_splits(std::int64_t rows, int kv_heads);

// True if attend() is compiled for heads of this kind.
bool attends(int heads, int kv_heads, int head_dim);

// Only in builds with REDQUEEN_CUDA. They return before the work is done; a launch that fails shows
// in the stream's next check.
void place(const PlaceCall& call, Stream stream);
void attend(const AttendCall& call, Stream stream);
void gate(const GateCall& call, Stream stream);
void draw(const DrawCall& call, Stream stream);

}  // namespace redqueen
