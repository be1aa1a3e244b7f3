// The shape of a model: what config.json of a Hugging Face folder says, with its names. The
// families are in docs/models.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/checkpoint/generation_config.h"
#include "redqueen/checkpoint/rope_scaling.h"
#include "redqueen/core/error.h"

namespace redqueen {

// Decoder-only transformers with RMSNorm, rotary positions, grouped-query attention and SwiGLU.
// They differ in what stands between a layer's first norm and its rotary positions, and in which
// layers have such positions.
enum class ModelFamily {
  kQwen2,    // a bias on queries, keys and values: Qwen2, Qwen2.5, DeepSeek-R1-Distill-Qwen
  kQwen3,    // queries and keys are normalised, head by head: Qwen3 (dense)
  kLlama,    // neither: Llama 3, 3.1, 3.2 (text), 3.3, DeepSeek-R1-Distill-Llama, SmolLM2
  kMistral,  // as Llama; old releases have a window: Mistral 7B, Nemo, Small (text)
  kSmolLM3,  // as Llama; every fourth layer has no positions: SmolLM3
};

std::string_view name_of(ModelFamily family);  // model_type of config.json

// Windowed layers see the last `tokens` tokens only. The engine's layers see all of the context, so
// the context of such a model ends at its window, where both are the same.
struct SlidingWindow {
  int tokens = 0;                   // 0: no layer has a window
  int max_position_embeddings = 0;  // as the file says, which may be more than the window
  std::vector<bool> layers = {};    // [num_hidden_layers]: which have it

  bool operator==(const SlidingWindow&) const = default;
};

struct ModelConfig {
  ModelFamily family = ModelFamily::kQwen3;
  int vocab_size = 0;
  int hidden_size = 0;
  int intermediate_size = 0;  // of the SwiGLU block
  int num_hidden_layers = 0;
  int num_attention_heads = 0;  // a multiple of num_key_value_heads
  int num_key_value_heads = 0;
  int head_dim = 0;  // even
  // The context: prompt and response together, in tokens; at most window.tokens where it is not 0.
  int max_position_embeddings = 0;
  double rope_theta = 10000.0;
  RopeScaling rope_scaling = {};
  double rms_norm_eps = 1e-6;
  bool tie_word_embeddings = false;     // the output layer reads the input embedding
  double initializer_range = 0.02;      // deviation of freshly initialised weights
  std::vector<int> eos_token_ids = {};  // any of these ends a response
  GenerationConfig generation = {};     // beside config.json; see load_folder()
  // [num_hidden_layers], or empty if none: layers whose queries and keys are not rotated.
  std::vector<bool> unrotated = {};
  SlidingWindow window = {};

  bool has_qkv_bias() const { return family == ModelFamily::kQwen2; }
  bool has_qk_norm() const { return family == ModelFamily::kQwen3; }
  bool rotates(std::size_t layer) const { return unrotated.empty() || !unrotated[layer]; }

  // Values that `file` leaves out take the defaults of transformers for the family. Fails for
  // another model_type, for features that the transformer does not compute (dynamic or long
  // rotary scaling, mixtures of experts, quantised weights, other biases) and for shapes that
  // cannot be.
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
