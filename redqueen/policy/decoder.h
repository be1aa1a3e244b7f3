// Runs a transformer token by token over many rows at once, with a paged cache of keys and values. A prompt is computed
// and cached once, however many rows continue it; rows come and go between steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "redqueen/policy/device_burst.h"
#include "redqueen/policy/layer_ops.h"
#include "redqueen/policy/paged_attention.h"
#include "redqueen/policy/paged_cache.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {

// Not for use from two threads at once. Parameters may be written in place between calls, but what is cached is of the
// parameters that were. Tensors that it returns cannot take part in differentiation.
class Decoder {
 public:
  // max_positions: of prompt and response together, at most. allow_fused = false: attention is composed of libtorch's
  // operations, as it is on GPUs and in bfloat16.
  Decoder(const Transformer& model, std::int64_t max_positions, bool allow_fused = true);

  // Computes prompts, none of them empty, and numbers them on from the last. What each predicts:
  // [prompts, vocabulary] in the model's type.
  at::Tensor add_prompts(std::span<const std::vector<Token>> prompts);
  // No more rows will continue it.
  void close_prompt(std::int64_t prompt) { cache_.close_prompt(prompt); }

  // New rows, after those there are.
  void add_rows(std::int64_t prompt, std::int64_t count) { cache_.add_rows(prompt, count); }

  std::int64_t rows() const { return static_cast<std::int64_t>(cache_.rows().size()); }

  // Appends one token to every row; what it predicts: [rows, vocabulary].
  at::Tensor step(std::span<const Token> tokens);

  // Appends one token to every row, then steps − 1 that it draws itself; draws one more. Nothing is read back in
  // between. uniforms: [steps, rows] numbers in [0, 1). May compute up to `steps` positions beyond max_positions.
  DrawnTokens burst(std::span<const Token> tokens, std::span<const float> uniforms,
                    std::int64_t steps, const SampleParameters& parameters);

  // Forgets all rows but these, which become rows 0, 1, …; ascending.
  void keep(const std::vector<std::int64_t>& rows) { cache_.keep(rows); }

  const PagedCache& cache() const { return cache_; }

  // Makes room for so many pages now (see PagedCache::allocate).
  void allocate(std::int64_t pages) { cache_.allocate(pages); }

 private:
  at::Tensor step_fused(const at::Tensor& tokens);

  const Transformer model_;
  bool fused_;     // decode_attention() can be used: float32 on the CPU
  Rotary rotary_;  // of all positions that can occur
  PagedCache cache_;
  DeviceBursts bursts_;
};

}  // namespace redqueen
