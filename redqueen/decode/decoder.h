// Runs a transformer token by token over many rows at once, with a paged cache of keys and values.
// A prompt is computed and cached once, however many rows continue it; rows come and go between
// steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "redqueen/decode/kept_rows.h"
#include "redqueen/decode/multi_step_decode.h"
#include "redqueen/decode/paged_attention.h"
#include "redqueen/decode/paged_cache.h"
#include "redqueen/model/layer_ops.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// A prompt to be computed.
struct PromptTokens {
  std::span<const Token> tokens;  // not empty
  // Keys and values of the first kept->tokens.size() of them, fewer than all; null: of none.
  const KeptRow* kept = nullptr;
};

// Not for use from two threads at once. Parameters may be written in place between calls, but what
// is cached is of the parameters that were. Tensors that it returns cannot take part in
// differentiation.
class Decoder {
 public:
  // max_positions: the most tokens of prompt and response together. allow_fused = false: attention
  // is composed of libtorch's operations, as it is on GPUs.
  Decoder(const Transformer& model, std::int64_t max_positions, bool allow_fused = true);

  // Computes prompts and numbers them on from the last. Returns what each predicts, [prompts,
  // vocabulary] in the model's type. Of a prompt with a kept beginning only the rest passes the
  // network; its prediction is the same up to rounding.
  at::Tensor add_prompts(std::span<const PromptTokens> prompts);
  // The same of one prompt, of which at most `at_once` ≥ 1 tokens pass the network at once.
  at::Tensor add_long_prompt(const PromptTokens& prompt, std::int64_t at_once);
  // Says that no more rows will continue a prompt.
  void close_prompt(std::int64_t prompt) { cache_.close_prompt(prompt); }

  // Adds rows after those there are.
  void add_rows(std::int64_t prompt, std::int64_t count) { cache_.add_rows(prompt, count); }

  std::int64_t rows() const { return static_cast<std::int64_t>(cache_.rows().size()); }

  // Appends one token to every row. Returns what each predicts, [rows, vocabulary].
  at::Tensor step(std::span<const Token> tokens);

  // Appends one token to every row, then steps − 1 that it draws itself; draws one more. Nothing is
  // read back in between. uniforms: [steps, rows] numbers in [0, 1). May compute up to `steps`
  // positions beyond max_positions.
  DrawnTokens multi_step(std::span<const Token> tokens, std::span<const float> uniforms,
                         std::int64_t steps, const SampleParameters& parameters);

  // Copies the keys and values of the first `length` tokens of a row, its prompt's included.
  std::vector<KeysValues> copy_row(std::int64_t row, std::int64_t length) const;

  // Forgets all rows but these, which become rows 0, 1, …; ascending.
  void keep(const std::vector<std::int64_t>& rows) { cache_.keep(rows); }

  const PagedCache& cache() const { return cache_; }

  // See PagedCache.
  void allocate(std::int64_t pages) { cache_.allocate(pages); }
  void set_most_pages(std::int64_t pages) { cache_.set_most_pages(pages); }

 private:
  // Tokens of a prompt from `begin` on, before which all are cached.
  struct PromptPart {
    std::int64_t number;  // the prompt's, in the cache
    std::span<const Token> tokens;
    std::size_t begin;
    const KeptRow* kept;  // the tokens before `begin`, if they were kept; null otherwise
  };

  at::Tensor step_fused(const at::Tensor& tokens);
  PromptPart begin_prompt(const PromptTokens& prompt);
  // Both return what the last tokens predict, [prompts, vocabulary].
  at::Tensor compute_whole(std::span<const PromptPart> prompts);
  at::Tensor compute_rest(std::span<const PromptPart> prompts);

  const Transformer model_;
  bool fused_;       // decode_attention() can be used: on the CPU
  Rotaries rotary_;  // of all positions that can occur
  PagedCache cache_;
  MultiStepDecode multi_step_;
};

}  // namespace redqueen
