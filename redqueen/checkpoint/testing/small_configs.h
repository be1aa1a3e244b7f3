// Small models' configurations for tests, one of each family.
#pragma once

#include <vector>

#include "redqueen/checkpoint/model_config.h"

namespace redqueen {

// A model for byte_tokenizer() (model/testing/tiny_models.h).
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

// One of each family, in the order of ModelFamily, but Qwen3 first. Scalings of rotary positions
// differ; Mistral and Gemma have windows shorter than most texts of the tests, SmolLM3 a layer
// without positions.
inline std::vector<ModelConfig> family_configs() {
  ModelConfig qwen3 = small_config(), qwen2 = small_config(), llama = small_config(),
              mistral = small_config(), smollm3 = small_config(), gemma3 = small_config(),
              gemma2 = small_config();
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
  mistral.family = ModelFamily::kMistral;
  mistral.tie_word_embeddings = false;
  mistral.window = {20, {true, true, true}};
  smollm3.family = ModelFamily::kSmolLM3;
  smollm3.unrotated = {false, true, false};
  gemma3.family = ModelFamily::kGemma3;
  gemma3.window = {9, {true, false, true}};
  gemma3.rope_theta = 5e4;
  gemma3.rope_local_theta = 1e3;
  gemma3.rope_scaling = {.kind = RopeKind::kLinear, .factor = 3};
  gemma3.query_pre_attn_scalar = 11;
  gemma2.family = ModelFamily::kGemma2;
  gemma2.window = {13, {true, false, true}};
  gemma2.query_pre_attn_scalar = 7;
  gemma2.attn_logit_softcapping = 1.5;  // low, so that it matters
  gemma2.final_logit_softcapping = 2.5;
  return {qwen3, qwen2, llama, mistral, smollm3, gemma3, gemma2};
}

}  // namespace redqueen
