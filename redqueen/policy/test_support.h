// What the policy's tests share: scratch folders, the Python oracle, small models and groups.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/core/rng.h"
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
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Standard output of .venv's Python running `arguments`; nullopt if it fails.
inline std::optional<std::string> run_python(const std::string& arguments) {
  const std::string command = ".venv/bin/python " + arguments + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  return pclose(pipe) == 0 ? std::optional(output) : std::nullopt;
}

inline bool python_has(const std::string& module) {
  return run_python("-c 'import importlib.util as u, sys; sys.exit(u.find_spec(\"" + module +
                    "\") is None)'")
      .has_value();
}

inline ModelConfig small_config() {
  ModelConfig config;
  config.vocab_size = 61;
  config.hidden_size = 32;
  config.intermediate_size = 48;
  config.num_hidden_layers = 3;
  config.num_attention_heads = 4;
  config.num_key_value_heads = 2;
  config.head_dim = 16;
  config.max_position_embeddings = 256;
  config.tie_word_embeddings = true;
  config.initializer_range = 0.2;  // so that distributions are far from uniform
  config.eos_token_ids = {0};
  return config;
}

inline std::vector<Token> random_tokens(Rng& rng, int count, int vocabulary) {
  std::vector<Token> tokens;
  for (int i = 0; i < count; ++i) {
    tokens.push_back(static_cast<Token>(rng.below(static_cast<std::uint64_t>(vocabulary))));
  }
  return tokens;
}

// Prompts of 1 to 40 tokens, responses of 0 to 50.
inline std::vector<TokenGroup> random_groups(Rng& rng, int groups, int responses, int vocabulary) {
  std::vector<TokenGroup> result;
  for (int g = 0; g < groups; ++g) {
    TokenGroup group;
    group.prompt = random_tokens(rng, static_cast<int>(rng.integer(1, 40)), vocabulary);
    for (int r = 0; r < responses; ++r) {
      group.responses.push_back(
          random_tokens(rng, static_cast<int>(rng.integer(0, 50)), vocabulary));
    }
    result.push_back(std::move(group));
  }
  return result;
}

}  // namespace redqueen
