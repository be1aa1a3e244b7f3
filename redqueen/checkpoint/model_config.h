// The shape of a model: what config.json of a Hugging Face folder says, with its names. The
// families are in docs/models.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/activation.h"
#include "redqueen/checkpoint/attention_rule.h"
#include "redqueen/checkpoint/generation_config.h"
#include "redqueen/checkpoint/rope_scaling.h"

namespace redqueen {

// Decoder-only transformers with RMSNorm, rotary positions, grouped-query attention and a gated
// feed-forward block. They differ in what stands between a layer's first norm and its rotary
// positions, and in which layers have such positions.
enum class ModelFamily {
  kQwen2,    // a bias on queries, keys and values: Qwen2, Qwen2.5, DeepSeek-R1-Distill-Qwen
  kQwen3,    // queries and keys are normalised, head by head: Qwen3 (dense)
  kLlama,    // neither: Llama 3, 3.1, 3.2 (text), 3.3, DeepSeek-R1-Distill-Llama, SmolLM2
  kMistral,  // as Llama; old releases have a window: Mistral 7B, Nemo, Small (text)
  kSmolLM3,  // as Llama; every fourth layer has no positions: SmolLM3
  // As Qwen3; norms multiply by 1 + weight and stand behind each block, too; GELU instead of SiLU,
  // a scaled embedding, and windows in most layers, which have another base of rotary positions:
  // Gemma 3 (text)
  kGemma3,
  kGemma2,  // as Gemma 3 without normalised heads and another base; scores and logits are capped
};

std::string_view name_of(ModelFamily family);  // model_type of config.json

// In windowed layers a token attends to the last `tokens` tokens only, itself included.
struct SlidingWindow {
  int tokens = 0;                 // 0: no layer has a window
  std::vector<bool> layers = {};  // [num_hidden_layers]: which have it; empty without a window

  bool operator==(const SlidingWindow&) const = default;
};

struct ModelConfig {
  ModelFamily family = ModelFamily::kQwen3;
  int vocab_size = 0;
  int hidden_size = 0;
  int intermediate_size = 0;  // of the feed-forward block
  int num_hidden_layers = 0;
  int num_attention_heads = 0;  // a multiple of num_key_value_heads
  int num_key_value_heads = 0;
  int head_dim = 0;                 // even
  int max_position_embeddings = 0;  // the context: prompt and response together, in tokens
  double rope_theta = 10000.0;
  RopeScaling rope_scaling = {};
  double rope_local_theta = 0;    // of windowed layers, without scaling; 0: as in the others
  int query_pre_attn_scalar = 0;  // scores are divided by its root; 0: head_dim
  // Caps: x becomes cap × tanh(x / cap); 0: none.
  double attn_logit_softcapping = 0;   // of scores of attention, before the soft-max
  double final_logit_softcapping = 0;  // of logits
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;     // the output layer reads the input embedding
  double initializer_range = 0.02;      // deviation of freshly initialised weights
  std::vector<int> eos_token_ids = {};  // any of these ends a response
  GenerationConfig generation = {};     // beside config.json; see load_folder()
  // [num_hidden_layers], or empty if none: layers whose queries and keys are not rotated.
  std::vector<bool> unrotated = {};
  SlidingWindow window = {};

  bool has_qkv_bias() const { return family == ModelFamily::kQwen2; }
  bool has_qk_norm() const {
    return family == ModelFamily::kQwen3 || family == ModelFamily::kGemma3;
  }
  // Norms multiply by 1 + weight, two more of them stand behind attention and feed-forward block,
  // and embeddings are multiplied by √hidden_size.
  bool is_gemma() const { return family == ModelFamily::kGemma3 || family == ModelFamily::kGemma2; }
  Activation activation() const { return is_gemma() ? Activation::kGelu : Activation::kSilu; }
  bool rotates(std::size_t layer) const { return unrotated.empty() || !unrotated[layer]; }
  // The layer's window in tokens; 0: none.
  int window_of(std::size_t layer) const {
    return window.tokens > 0 && window.layers[layer] ? window.tokens : 0;
  }
  double attention_scale() const;  // what products of queries and keys are multiplied by
  AttentionRule attention_rule(std::size_t layer) const;

  // Values that `file` leaves out take the defaults of transformers for the family. Fails for
  // another model_type, for features that the transformer does not compute (dynamic or long
  // rotary scaling, mixtures of experts, quantised weights, other biases, attention to what
  // follows) and for shapes that cannot be.
  static Expected<ModelConfig> load(const std::filesystem::path& file);

  // config.json, and generation_config.json if there is one: where that names end tokens, they are
  // the ones that count, as for transformers.
  static Expected<ModelConfig> load_folder(const std::filesystem::path& folder);

  // `dtype` is the type of the weights beside it, as transformers spells it: "float32", "bfloat16".
  Status save(const std::filesystem::path& file, const std::string& dtype = "float32") const;

  // An error that names the first field that cannot be.
  Status check() const;

  // The number of parameters, a tied embedding counted once.
  std::int64_t parameter_count() const;

  bool operator==(const ModelConfig&) const = default;
};

}  // namespace redqueen
