// Computes the size of a decoder's cache. Free of libtorch, so that the plan of memory
// (train/memory_plan.h) and the decoder count alike.
#pragma once

#include <cstdint>

#include "redqueen/checkpoint/model_config.h"

namespace redqueen {

constexpr std::int64_t kPageTokens = 64;

// Most steps of decoding that a GPU makes at a time (multi_step_decode.h).
constexpr std::int64_t kMultiSteps = 16;

// Tokens of prompts that pass the network at once. A longer prompt does so in parts.
constexpr std::int64_t kPromptTokensAtOnce = 8192;

// Queries whose mask is there at once, where the later part of a prompt attends to all before it.
constexpr std::int64_t kMaskedQueries = 512;

// Returns how many pages `tokens` tokens fill.
constexpr std::int64_t pages_of(std::int64_t tokens) {
  return (tokens + kPageTokens - 1) / kPageTokens;
}

// Bytes of the keys and values of a token, in all layers. number_bytes: of a number, 4 or 2.
inline std::int64_t cached_token_bytes(const ModelConfig& config, std::int64_t number_bytes) {
  return std::int64_t{2} * config.num_hidden_layers * config.num_key_value_heads * config.head_dim *
         number_bytes;
}

// Of the memory that a GPU has free when sampling begins, the part that the cache may take. The
// rest is for passes over prompts, for probabilities and for what the allocator wastes.
constexpr std::int64_t cache_share(std::int64_t free_bytes) { return free_bytes / 8 * 7; }

// Rows of logits that libtorch's operations draw from at once on a GPU (device_draw.h).
constexpr std::int64_t kRowsDrawnAtOnce = 32;

// The most pages that `rows` responses and their prompts take at once, page 0 included. The last
// token of a response is not cached. ahead: steps that are made beyond a row's end.
constexpr std::int64_t pages_at_once(std::int64_t prompt_pages, std::int64_t rows,
                                     std::int64_t response_tokens, std::int64_t ahead) {
  return 1 + prompt_pages + rows * pages_of(response_tokens - 1 + ahead);
}

// The least pages with which every response can be decoded to its end, one at a time if need be.
// Besides the row's own there may be a prompt whose other rollouts wait, and page 0, which belongs
// to nobody.
constexpr std::int64_t least_pages(std::int64_t prompt_tokens, std::int64_t response_tokens) {
  return 2 + 2 * pages_of(prompt_tokens) + pages_of(response_tokens + kMultiSteps);
}

}  // namespace redqueen
