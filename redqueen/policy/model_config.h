// The shape of a model: what config.json of a Hugging Face folder says, with its names. Only the
// Qwen3 layout exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/core/error.h"

namespace redqueen {

struct ModelConfig {
  int vocab_size = 0;
  int hidden_size = 0;
  int intermediate_size = 0;  // of the SwiGLU block
  int num_hidden_layers = 0;
  int num_attention_heads = 0;  // a multiple of num_key_value_heads
  int num_key_value_heads = 0;
  int head_dim = 0;                 // even
  int max_position_embeddings = 0;  // prompt and response together, in tokens
  double rope_theta = 10000.0;
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;  // the output layer reads the input embedding
  double initializer_range = 0.02;   // deviation of freshly initialised weights
  std::vector<int> eos_token_ids;    // any of these ends a response

  // Values that `file` leaves out take the defaults of transformers' Qwen3Config. Fails for another
  // model_type, for features that the transformer does not compute (scaled rotary positions,
  // sliding windows, attention biases, quantised weights) and for shapes that cannot be.
  static Expected<ModelConfig> load(const std::filesystem::path& file);

  // `dtype` is the type of the weights beside it, as transformers spells it: "float32", "bfloat16".
  Status save(const std::filesystem::path& file, const std::string& dtype = "float32") const;

  // An error that names the first field that cannot be.
  Status check() const;

  // How many numbers the model holds, a tied embedding counted once.
  std::int64_t parameter_count() const;

  bool operator==(const ModelConfig&) const = default;
};

}  // namespace redqueen
