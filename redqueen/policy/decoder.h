// Runs a transformer token by token over many rows at once, with a cache of keys and values. A prompt is computed and
// cached once, however many rows continue it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/policy/layer_ops.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {

// Not for use from two threads at once. Parameters must not change during its life. Tensors that it returns cannot take
// part in differentiation.
class Decoder {
 public:
  // Row r continues prompts[prompt_of_row[r]]. No prompt is empty; prompt and max_steps together fit the model's
  // context. allow_fused = false: attention is composed of libtorch's operations, as it is on GPUs and in bfloat16.
  Decoder(const Transformer& model, std::span<const std::vector<Token>> prompts,
          std::vector<std::int64_t> prompt_of_row, std::int64_t max_steps, bool allow_fused = true);

  std::int64_t rows() const { return static_cast<std::int64_t>(prompt_of_row_.size()); }

  // What every row's prompt predicts: [rows, vocabulary] in the model's type.
  at::Tensor prompt_logits() const;

  // Appends one token to every row; what it predicts: [rows, vocabulary]. At most max_steps times.
  at::Tensor step(std::span<const Token> tokens);

  // Forgets all rows but these, which become rows 0, 1, …; ascending.
  void keep(const std::vector<std::int64_t>& rows);

 private:
  struct LayerCache {
    at::Tensor prompt_keys;    // [prompts, kv_heads, head_dim, longest]
    at::Tensor prompt_values;  // [prompts, kv_heads, longest, head_dim]
    at::Tensor own_keys;       // [rows, kv_heads, head_dim, capacity]
    at::Tensor own_values;     // [rows, kv_heads, capacity, head_dim]
  };

  void run_prompts(std::span<const std::vector<Token>> prompts);
  void store_prompt(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& rows);
  void reserve_step();
  void place_rows();
  at::Tensor attend(const at::Tensor& qkv, std::size_t layer);
  at::Tensor attend_fused(const at::Tensor& qkv, std::size_t layer);
  at::Tensor attend_composed(const at::Tensor& qkv, std::size_t layer);

  const Transformer model_;
  bool fused_;  // decode_attention() can be used: float32 on the CPU
  std::vector<std::int64_t> prompt_lengths_;
  std::vector<std::int64_t> prompt_of_row_;
  std::int64_t longest_ = 0;
  std::int64_t max_steps_;
  std::int64_t capacity_ = 0;
  std::int64_t step_ = 0;
  std::vector<LayerCache> layers_;
  Rotary rotary_;             // of all positions that can occur
  at::Tensor prompt_logits_;  // [prompts, vocabulary]

  // For attend_composed: rows of one prompt share a row of slots.
  std::int64_t slots_per_prompt_ = 0;
  at::Tensor slot_of_row_;   // [rows] prompt × slots_per_prompt + place among its rows
  at::Tensor prompt_index_;  // [rows] on the device
  at::Tensor lengths_;       // [prompts] on the device
  at::Tensor outside_;       // [prompts, 1, 1, longest] true beyond a prompt's end
};

}  // namespace redqueen
