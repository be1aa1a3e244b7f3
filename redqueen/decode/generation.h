// Samples responses of a transformer: batched decoding, one address of randomness per response.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "redqueen/decode/cache_size.h"
#include "redqueen/decode/kept_rows.h"
#include "redqueen/model/transformer.h"
#include "redqueen/policy/token_policy.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

struct TokenPrompt {
  std::vector<Token> tokens;  // not empty, shorter than the model's context
  std::vector<RandomAddress> addresses;
  std::shared_ptr<const KeptRow> kept = {};  // of the first of the tokens, not all; null: of none
  bool keep = false;                         // the responses are put into SamplingLimits::kept
};

// Decides whether tokens are drawn on the device, several steps at a time (multi_step_decode.h).
enum class MultiStep { kOnGpu, kAlways, kNever };

// The cost of sampling.
struct SamplingCounts {
  std::int64_t most_pages = 0;          // in use at once
  std::int64_t most_prompt_tokens = 0;  // through the network at once
  std::int64_t put_back = 0;            // rows that had to wait in the midst of their response
};

struct SamplingLimits {
  int max_rows =
      512;  // responses decoded at once; those that wait take the places of those that end
  // The pages of the cache (cache_size.h); 0: on a GPU what most of its free memory holds, else as
  // many as the rows need. One response can always be made, whatever the limit.
  std::int64_t max_pages = 0;
  std::int64_t prompt_tokens = kPromptTokensAtOnce;  // through the network at once
  MultiStep multi_step = MultiStep::kOnGpu;
  KeptRows* kept = nullptr;   // takes the rows of prompts with `keep`; null: nothing is kept
  DrawListener on_draw = {};  // hears of every response after each step that added to it
  // Takes the responses to a prompt when the last of them has ended; they are then missing in what
  // generate() returns.
  std::function<void(std::size_t prompt, std::vector<Completion>)> on_group = {};
  SamplingCounts* counts = nullptr;
};

// Fails if a parameter lies outside its range; names it.
Status check(const SampleParameters& parameters);

// Returns a response per address, in order. Each token is drawn with the next uniform number of its
// address, against probabilities that do not depend on the other rows but for rounding: matrix
// products of libtorch may round differently for another number of rows, by about 1e-7 of a
// probability, so that about one draw in a million may fall on the neighbouring token. With the
// same rows the result is the same, bit for bit; the same holds for prompts whose beginning was
// kept and prompts that are computed anew, and for rows that were put back because the cache was
// full. A row leaves the batch when it has finished, up to kMultiSteps later where several steps
// are made at a time. check(parameters) must hold.
//
// A kept row stores all tokens but the last drawn one, which has not passed the network.
std::vector<std::vector<Completion>> generate(const Transformer& model, const Tokenizer& tokenizer,
                                              std::span<const TokenPrompt> prompts,
                                              const SampleParameters& parameters,
                                              const SamplingLimits& limits = {});

}  // namespace redqueen
