// Small models and groups of tokens for tests.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/checkpoint/testing/small_configs.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/testing/byte_tokenizer.h"
#include "redqueen/text/testing/transformers_oracle.h"

namespace redqueen {

// A model whose biases are not zero and whose norms are not one, which would hide mistakes.
inline Transformer uneven_model(const ModelConfig& config, std::uint64_t seed,
                                const TransformerOptions& options = {}) {
  const Transformer model = Transformer::initialise(config, seed, options);
  at::NoGradGuard no_grad;
  double phase = 0;
  for (const NamedTensor& parameter : model.parameters()) {
    if (parameter.tensor.dim() > 1) continue;
    const at::Tensor wave = at::arange(parameter.tensor.numel(), at::kFloat).add_(++phase).sin_();
    parameter.tensor.add_(wave.mul_(0.3).to(options.device, options.dtype));
  }
  return model;
}

inline std::vector<Token> random_tokens(Rng& rng, std::int64_t count, int vocabulary) {
  std::vector<Token> tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    tokens.push_back(static_cast<Token>(rng.integer(1, vocabulary - 1)));
  }
  return tokens;
}

// Prompts of 1 to 40 tokens, responses of 0 to 50.
inline std::vector<TokenGroup> random_groups(Rng& rng, int groups, int responses, int vocabulary) {
  std::vector<TokenGroup> result;
  for (int g = 0; g < groups; ++g) {
    TokenGroup group;
    group.prompt = random_tokens(rng, rng.integer(1, 40), vocabulary);
    for (int r = 0; r < responses; ++r) {
      group.responses.push_back(random_tokens(rng, rng.integer(0, 50), vocabulary));
    }
    result.push_back(std::move(group));
  }
  return result;
}

}  // namespace redqueen
