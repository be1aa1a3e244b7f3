// Sampling responses of a transformer: batched decoding, one address of randomness per response.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/policy/policy.h"
#include "redqueen/policy/tokenizer.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {

struct TokenPrompt {
  std::vector<Token> tokens;  // not empty, shorter than the model's context
  std::vector<RandomAddress> rollouts;
};

// Whether tokens are drawn on the device, several steps at a time (device_burst.h).
enum class Bursts { kOnGpu, kAlways, kNever };

struct SamplingLimits {
  int max_rows =
      512;  // responses decoded at once; those that wait take the places of those that end
  std::int64_t max_pages = 0;  // of the cache, in bursts; 0: what half of the free memory holds
  Bursts device_bursts = Bursts::kOnGpu;
};

// An error if a parameter lies outside its range; names it.
Status check(const SampleParameters& parameters);

// A response per rollout, in order. Each token is drawn with the next uniform number of its rollout's address, against
// probabilities that do not depend on the other rows but for rounding: matrix products of libtorch may round
// differently for another number of rows, by about 1e-7 of a probability, so that about one draw in a million may fall
// on the neighbouring token. With the same rows the result is the same, bit for bit. A row leaves the batch when it has
// finished, in bursts up to kBurstSteps later. check(parameters) must hold.
std::vector<std::vector<Completion>> generate(const Transformer& model, const Tokenizer& tokenizer,
                                              std::span<const TokenPrompt> prompts,
                                              const SampleParameters& parameters,
                                              const SamplingLimits& limits = {});

}  // namespace redqueen
