// Tiny models, and a sampler that needs no tokenizer, for the tests of this folder.
#pragma once

#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/bpe_trainer.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

inline ModelConfig tiny_config(int vocab_size) {
  ModelConfig config;
  config.vocab_size = vocab_size;
  config.hidden_size = 32;
  config.intermediate_size = 48;
  config.num_hidden_layers = 2;
  config.num_attention_heads = 2;
  config.num_key_value_heads = 1;
  config.head_dim = 16;
  config.max_position_embeddings = 64;
  config.tie_word_embeddings = true;
  config.initializer_range = 0.1;
  return config;
}

// Draws responses of a fixed length, one plain forward pass a distinct prefix.
class PrefixSampler {
 public:
  explicit PrefixSampler(const Transformer& transformer) : transformer_(transformer) {}

  Completion draw(const std::vector<Token>& prompt, std::size_t length, Rng& rng) {
    Completion completion;
    std::vector<Token> prefix = prompt;
    for (std::size_t i = 0; i < length; ++i) {
      const std::vector<double>& log_probs = next_token(prefix);
      std::vector<double> weights;
      for (const double log_prob : log_probs) weights.push_back(std::exp(log_prob));
      const std::size_t token = rng.weighted(weights);
      completion.tokens.push_back(static_cast<Token>(token));
      completion.log_probs.push_back(static_cast<float>(log_probs[token]));
      prefix.push_back(static_cast<Token>(token));
    }
    return completion;
  }

 private:
  const std::vector<double>& next_token(const std::vector<Token>& prefix) {
    const auto [place, added] = known_.try_emplace(prefix);
    if (added) {
      const at::NoGradGuard no_grad;
      const at::Tensor last =
          at::log_softmax(transformer_.logits(prefix).select(0, -1).to(at::kDouble), 0);
      const auto* data = last.const_data_ptr<double>();
      place->second.assign(data, data + last.numel());
    }
    return place->second;
  }

  Transformer transformer_;
  std::map<std::vector<Token>, std::vector<double>> known_;  // log-probabilities after a prefix
};

inline std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.detach().to(at::kCPU).to(at::kFloat).contiguous();
  const auto* data = flat.const_data_ptr<float>();
  return {data, data + flat.numel()};
}

// Bytes and "<end>", which is token 0.
inline Tokenizer end_and_bytes() {
  const std::vector<std::string> nothing;
  return train_bpe(nothing, {.vocab_size = 257, .special_tokens = {"<end>"}}).value();
}

// All parameters, one after the other.
inline std::vector<float> weights_of(const Transformer& transformer) {
  std::vector<float> all;
  for (const NamedTensor& parameter : transformer.parameters()) {
    const auto values = values_of(parameter.tensor);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace redqueen
