// What the policy's tests share: scratch folders, small models and groups.
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

#include "redqueen/core/rng.h"
#include "redqueen/policy/bpe_trainer.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {

// A folder of its own, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "redqueen-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Bytes and the end-of-text token, which is token 0.
inline Tokenizer byte_tokenizer() {
  return train_bpe(std::vector<std::string>{}, {.vocab_size = 257, .special_tokens = {"<end>"}})
      .value();
}

// A model for byte_tokenizer().
inline ModelConfig small_config() {
  ModelConfig config;
  config.vocab_size = 257;
  config.hidden_size = 32;
  config.intermediate_size = 48;
  config.num_hidden_layers = 3;
  config.num_attention_heads = 4;
  config.num_key_value_heads = 2;
  config.head_dim = 16;
  config.max_position_embeddings = 128;
  config.tie_word_embeddings = true;
  config.initializer_range = 0.3;  // so that distributions are far from uniform
  config.eos_token_ids = {0};
  return config;
}

// One of each family, each with another scaling of rotary positions.
inline std::vector<ModelConfig> family_configs() {
  ModelConfig qwen3 = small_config(), qwen2 = small_config(), llama = small_config();
  qwen2.family = ModelFamily::kQwen2;
  qwen2.tie_word_embeddings = false;
  qwen2.rope_scaling = {.kind = RopeKind::kYarn,
                        .factor = 4,
                        .original_max_position_embeddings = 32,
                        .attention_factor = 1.14};
  llama.family = ModelFamily::kLlama;
  llama.rope_scaling = {.kind = RopeKind::kLlama3,
                        .factor = 8,
                        .original_max_position_embeddings = 64,
                        .low_freq_factor = 1,
                        .high_freq_factor = 4};
  return {qwen3, qwen2, llama};
}

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

inline bool has_transformers() {
  return std::system(
             ".venv/bin/python -c 'import importlib.util as u, sys; "
             "sys.exit(u.find_spec(\"transformers\") is None)' 2>/dev/null") == 0;
}

// Runs testdata/transformers_oracle.py on a request; prints what it complains of if it fails.
inline bool ask_transformers(const ScratchFolder& scratch, const nlohmann::json& request) {
  const std::string file = (scratch / "request.json").string();
  const std::string errors = (scratch / "errors.txt").string();
  std::ofstream(file) << request;
  const bool answered =
      std::system((".venv/bin/python redqueen/policy/testdata/transformers_oracle.py " + file +
                   " >" + errors + " 2>&1")
                      .c_str()) == 0;
  if (!answered) std::cerr << std::ifstream(errors).rdbuf();
  return answered;
}

}  // namespace redqueen
