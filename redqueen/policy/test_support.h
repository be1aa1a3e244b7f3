// What the policy's tests share: scratch folders, small models and groups.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
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
