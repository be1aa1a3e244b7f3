#include "redqueen/checkpoint/model_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>

#include "redqueen/checkpoint/json_fields.h"
#include "redqueen/checkpoint/lora_config.h"

namespace redqueen {
namespace {

// The defaults that differ between families. Defaults are those of transformers.
struct FamilyRow {
  ModelFamily family;
  std::string_view model_type;
  const char* architecture;     // the class of transformers
  int head_dim = 0;             // 0: hidden_size / num_attention_heads
  int num_key_value_heads = 0;  // 0: num_attention_heads
  int max_position_embeddings = 32768;
  double rope_theta = 1e4;
  bool tie_word_embeddings = false;
  bool asks_for_window = false;  // a window is in force only where use_sliding_window is true
  int sliding_window = 0;        // 0: none
  bool has_layer_types = true;   // files may list which layers have the window
};

constexpr std::array kFamilies{
    FamilyRow{.family = ModelFamily::kQwen2,
              .model_type = "qwen2",
              .architecture = "Qwen2ForCausalLM",
              .num_key_value_heads = 32,
              .asks_for_window = true,
              .sliding_window = 4096},
    FamilyRow{.family = ModelFamily::kQwen3,
              .model_type = "qwen3",
              .architecture = "Qwen3ForCausalLM",
              .head_dim = 128,
              .num_key_value_heads = 32,
              .asks_for_window = true,
              .sliding_window = 4096},
    FamilyRow{.family = ModelFamily::kLlama,
              .model_type = "llama",
              .architecture = "LlamaForCausalLM",
              .max_position_embeddings = 2048},
    FamilyRow{.family = ModelFamily::kMistral,
              .model_type = "mistral",
              .architecture = "MistralForCausalLM",
              .num_key_value_heads = 8,
              .max_position_embeddings = 131072,
              .sliding_window = 4096,
              .has_layer_types = false},
    FamilyRow{.family = ModelFamily::kSmolLM3,
              .model_type = "smollm3",
              .architecture = "SmolLM3ForCausalLM",
              .num_key_value_heads = 4,
              .rope_theta = 2e6,
              .tie_word_embeddings = true,
              .asks_for_window = true},
    FamilyRow{.family = ModelFamily::kGemma3,
              .model_type = "gemma3_text",
              .architecture = "Gemma3ForCausalLM",
              .head_dim = 256,
              .num_key_value_heads = 4,
              .max_position_embeddings = 131072,
              .rope_theta = 1e6,
              .tie_word_embeddings = true,
              .sliding_window = 4096},
    FamilyRow{.family = ModelFamily::kGemma2,
              .model_type = "gemma2",
              .architecture = "Gemma2ForCausalLM",
              .head_dim = 256,
              .num_key_value_heads = 4,
              .max_position_embeddings = 8192,
              .tie_word_embeddings = true,
              .sliding_window = 4096},
};

constexpr std::string_view kSupported =
    "supported are qwen2 (Qwen2, Qwen2.5, DeepSeek-R1-Distill-Qwen), qwen3 (dense), llama (Llama "
    "3, SmolLM2), mistral (Mistral, Nemo), smollm3, gemma2 and gemma3_text (Gemma 3 270M and 1B)";

constexpr const char* kGelu = "gelu_pytorch_tanh";
constexpr const char* kSliding = "sliding_attention";  // of layer_types
constexpr const char* kFull = "full_attention";

// A million of anything but vocabulary and positions is a damaged file, and would overflow
// products.
constexpr int kMost = 1 << 20;

const FamilyRow& row_of(ModelFamily family) { return kFamilies[static_cast<std::size_t>(family)]; }

const FamilyRow* find_family(JsonFields& fields) {
  std::string type;
  fields.text("model_type", type);
  for (const FamilyRow& family : kFamilies) {
    if (type == family.model_type) return &family;
  }
  if (type.empty()) {
    fields.complain("model_type", fmt::format("is missing; {}", kSupported));
  } else {
    const bool experts = type.find("moe") != std::string::npos || type == "mixtral";
    std::string_view kind = experts ? ", a mixture of experts" : "";
    if (type == "gemma3") kind = ", a Gemma 3 that reads images as well";
    fields.complain("model_type", fmt::format("is \"{}\"{}: {}", type, kind, kSupported));
  }
  return nullptr;
}

// SmolLM3's lists say 1 for a layer that is rotated, 0 for one that is not.
void read_unrotated(const nlohmann::json& json, JsonFields& fields, ModelConfig& config) {
  const auto layers = static_cast<std::size_t>(config.num_hidden_layers);
  const auto list = json.find("no_rope_layers");
  if (list == json.end() || list->is_null()) {
    int interval = 4;
    fields.integer("no_rope_layer_interval", interval);
    if (interval < 1) return fields.complain("no_rope_layer_interval", "must be positive");
    for (std::size_t i = 1; i <= layers; ++i) {
      config.unrotated.push_back(i % static_cast<std::size_t>(interval) == 0);
    }
    return;
  }
  if (!list->is_array() || list->size() < layers) {
    return fields.complain("no_rope_layers",
                           fmt::format("must be a list with one entry for each of {} layers",
                                       config.num_hidden_layers));
  }
  for (std::size_t i = 0; i < layers; ++i) {
    if ((*list)[i] != 0 && (*list)[i] != 1) {
      return fields.complain("no_rope_layers",
                             fmt::format("holds {}; entries are 0 or 1", dump_text((*list)[i])));
    }
    config.unrotated.push_back((*list)[i] == 0);
  }
}

// What says which layers have a window where no list does.
struct WindowedLayers {
  int first = 28;   // max_window_layers
  int pattern = 6;  // sliding_window_pattern: every so manieth layer has none
};

// Whether the configuration, had it a window, would give it to this layer.
bool windowed(const ModelConfig& config, int layer, const WindowedLayers& which) {
  switch (config.family) {
    case ModelFamily::kQwen2:
    case ModelFamily::kQwen3:
      return layer >= which.first;
    case ModelFamily::kSmolLM3:
      return !config.rotates(static_cast<std::size_t>(layer));
    case ModelFamily::kGemma3:
      return (layer + 1) % which.pattern != 0;
    case ModelFamily::kGemma2:
      return layer % 2 == 0;
    case ModelFamily::kLlama:
    case ModelFamily::kMistral:
      break;
  }
  return true;
}

// As windowed(), from a list of layers.
void read_layer_types(const nlohmann::json& list, JsonFields& fields, ModelConfig& config,
                      std::vector<bool>& layers) {
  if (!list.is_array() || list.size() != layers.size()) {
    return fields.complain("layer_types", fmt::format("must be a list with one entry for each of "
                                                      "{} layers",
                                                      config.num_hidden_layers));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i] = list[i] == kSliding;
    if (!layers[i] && list[i] != kFull) {
      return fields.complain(
          "layer_types", fmt::format("holds {}: supported are full_attention and sliding_attention",
                                     dump_text(list[i])));
    }
  }
}

// The window that layers use, if any. A Llama has none, whatever its file says.
void read_window(const FamilyRow& family, const nlohmann::json& json, JsonFields& fields,
                 ModelConfig& config) {
  if (config.family == ModelFamily::kLlama) return;
  bool use = !family.asks_for_window;
  int tokens = json.contains("sliding_window") ? 0 : family.sliding_window;
  WindowedLayers which;
  std::optional<int> given;
  if (family.asks_for_window) fields.boolean("use_sliding_window", use);
  fields.integer("sliding_window", given);
  fields.integer("max_window_layers", which.first);
  fields.integer("sliding_window_pattern", which.pattern);
  if (which.pattern < 1) return fields.complain("sliding_window_pattern", "must be positive");
  if (use && given && *given < 1) fields.complain("sliding_window", "must be positive");
  tokens = use ? given.value_or(tokens) : 0;
  std::vector<bool> layers(static_cast<std::size_t>(config.num_hidden_layers));
  const auto types = json.find("layer_types");
  if (types != json.end() && !types->is_null() && family.has_layer_types) {
    read_layer_types(*types, fields, config, layers);
  } else if (tokens > 0 || config.is_gemma()) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
      layers[i] = windowed(config, static_cast<int>(i), which);
    }
  }
  if (std::find(layers.begin(), layers.end(), true) == layers.end()) return;
  if (tokens == 0) {
    return fields.complain("layer_types",
                           "holds sliding_attention, but no \"sliding_window\" is in force");
  }
  config.window = {tokens, std::move(layers)};
}

// Writes what read_window() reads.
void add_window(const ModelConfig& config, nlohmann::ordered_json& json) {
  const SlidingWindow& window = config.window;
  const FamilyRow& family = row_of(config.family);
  if (family.asks_for_window) json["use_sliding_window"] = window.tokens > 0;
  if (window.tokens > 0) {
    json["sliding_window"] = window.tokens;
  } else if (!family.asks_for_window && config.family != ModelFamily::kLlama) {
    json["sliding_window"] = nullptr;  // absent would mean the default
  }
  if (family.asks_for_window && window.tokens > 0) {
    const auto first = std::find(window.layers.begin(), window.layers.end(), true);
    json["max_window_layers"] = first - window.layers.begin();
  }
  if (!family.has_layer_types || (window.tokens == 0 && !config.is_gemma())) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(config.num_hidden_layers); ++i) {
    json["layer_types"].push_back(config.window_of(i) > 0 ? kSliding : kFull);
  }
}

void refuse_unsupported(const nlohmann::json& json, const ModelConfig& config, JsonFields& fields) {
  if (config.is_gemma()) {
    fields.only("hidden_activation", kGelu,
                "any activation but that of the releases is not "
                "supported");
    fields.only("use_bidirectional_attention", false,
                "attention to what follows makes no model that draws token after token");
    if (config.family == ModelFamily::kGemma3) {  // its releases have none
      fields.only("attn_logit_softcapping", nullptr, "Gemma 3 has no caps");
      fields.only("final_logit_softcapping", nullptr, "Gemma 3 has no caps");
    }
  } else {
    fields.only("hidden_act", "silu", "any activation but \"silu\" is not supported");
  }
  if (!config.has_qkv_bias()) {  // a Qwen2 has its biases whatever this says
    fields.only("attention_bias", false,
                "no released checkpoint of this family has that, and it is not supported");
  }
  fields.only("mlp_bias", false, "a bias in the feed-forward block is not supported");
  for (const char* key : {"num_experts", "num_local_experts", "n_routed_experts"}) {
    fields.only(key, 0, "mixtures of experts are not supported");
  }
  if (json.contains("quantization_config") && !json["quantization_config"].is_null()) {
    fields.complain("quantization_config", "is set: quantised weights are not supported");
  }
}

// Null is no cap, absence the default.
void read_cap(const nlohmann::json& json, JsonFields& fields, const char* key, double otherwise,
              double& cap) {
  cap = json.contains(key) ? 0 : otherwise;
  fields.real(key, cap);
  if (cap < 0) fields.complain(key, "must be positive");
}

void read_shape(const FamilyRow& family, const nlohmann::json& json, JsonFields& fields,
                ModelConfig& config) {
  fields.integer("vocab_size", config.vocab_size, true);
  fields.integer("hidden_size", config.hidden_size, true);
  fields.integer("intermediate_size", config.intermediate_size, true);
  fields.integer("num_hidden_layers", config.num_hidden_layers, true);
  fields.integer("num_attention_heads", config.num_attention_heads, true);
  config.num_key_value_heads = config.num_attention_heads;
  if (family.num_key_value_heads > 0 && !json.contains("num_key_value_heads")) {
    config.num_key_value_heads = family.num_key_value_heads;
  }
  fields.integer("num_key_value_heads", config.num_key_value_heads);
  config.head_dim = family.head_dim;
  if (config.head_dim == 0 && config.num_attention_heads > 0) {
    config.head_dim = config.hidden_size / config.num_attention_heads;
  }
  fields.integer("head_dim", config.head_dim);
  config.max_position_embeddings = family.max_position_embeddings;
  fields.integer("max_position_embeddings", config.max_position_embeddings);
  fields.real("rms_norm_eps", config.rms_norm_eps);
  fields.real("initializer_range", config.initializer_range);
  config.tie_word_embeddings = family.tie_word_embeddings;
  fields.boolean("tie_word_embeddings", config.tie_word_embeddings);
  fields.token_ids("eos_token_id", config.eos_token_ids);
  config.rope_theta = family.rope_theta;
  fields.real("rope_theta", config.rope_theta);
  if (config.is_gemma()) {
    config.query_pre_attn_scalar = 256;
    fields.integer("query_pre_attn_scalar", config.query_pre_attn_scalar);
  }
  if (config.family == ModelFamily::kGemma2) {
    read_cap(json, fields, "attn_logit_softcapping", 50, config.attn_logit_softcapping);
    read_cap(json, fields, "final_logit_softcapping", 30, config.final_logit_softcapping);
  }
  if (config.family == ModelFamily::kGemma3) {
    config.rope_local_theta = 1e4;
    fields.real("rope_local_base_freq", config.rope_local_theta);
    config.rope_scaling = read_rope_by_layer_type(fields, config.max_position_embeddings,
                                                  config.rope_theta, config.rope_local_theta);
  } else {
    config.rope_scaling =
        read_rope_scaling(fields, config.max_position_embeddings, config.rope_theta);
  }
}

tl::unexpected<Error> in_file(const std::filesystem::path& file, Error error) {
  if (error.message.find(file.string()) == std::string::npos) {
    error.message = fmt::format("{}: {}", file.string(), error.message);
  }
  return tl::make_unexpected(std::move(error));
}

}  // namespace

std::string_view name_of(ModelFamily family) { return row_of(family).model_type; }

Expected<ModelConfig> ModelConfig::load(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto json,
                   read_json_object(file.string(), "A policy is a folder with config.json in it."));
  JsonFields fields(json, file.string());
  const FamilyRow* family = find_family(fields);
  if (family == nullptr) return in_file(file, fields.status().error());
  ModelConfig config{.family = family->family};
  read_shape(*family, json, fields, config);
  refuse_unsupported(json, config, fields);
  if (config.num_hidden_layers > 0 && config.num_hidden_layers <= kMost) {
    if (config.family == ModelFamily::kSmolLM3) read_unrotated(json, fields, config);
    read_window(*family, json, fields, config);
  }
  for (const Status& status : {fields.status(), config.check()}) {
    if (!status) return in_file(file, status.error());
  }
  return config;
}

Expected<ModelConfig> ModelConfig::load_folder(const std::filesystem::path& given) {
  ASSIGN_OR_RETURN(const auto folder, base_folder(given));
  auto config = load(folder / "config.json");
  if (!config) return config;
  const auto file = folder / "generation_config.json";
  auto generation = GenerationConfig::load(file);
  if (!generation) return tl::make_unexpected(generation.error());
  if (!generation->eos_token_ids.empty()) config->eos_token_ids = generation->eos_token_ids;
  config->generation = std::move(*generation);
  if (const Status status = config->check(); !status) return in_file(file, status.error());
  return config;
}

Status ModelConfig::check() const {
  const struct {
    const char* name;
    int value;
    int most;
  } sizes[] = {
      {"vocab_size", vocab_size, 1 << 26},
      {"hidden_size", hidden_size, kMost},
      {"intermediate_size", intermediate_size, kMost},
      {"num_hidden_layers", num_hidden_layers, kMost},
      {"num_attention_heads", num_attention_heads, kMost},
      {"num_key_value_heads", num_key_value_heads, kMost},
      {"head_dim", head_dim, kMost},
      {"max_position_embeddings", max_position_embeddings, std::numeric_limits<int>::max()},
  };
  for (const auto& size : sizes) {
    if (size.value < 1 || size.value > size.most) {
      return usage_error("\"{}\" is {}; it must lie between 1 and {}.", size.name, size.value,
                         size.most);
    }
  }
  if (num_attention_heads % num_key_value_heads != 0) {
    return usage_error(
        R"("num_attention_heads" ({}) must be a multiple of "num_key_value_heads" ({}).)",
        num_attention_heads, num_key_value_heads);
  }
  if (head_dim % 2 != 0) {
    return usage_error("\"head_dim\" is {}; rotary positions need an even number.", head_dim);
  }
  if (!(rope_theta > 0) || !(rms_norm_eps >= 0) || !(initializer_range >= 0) ||
      !(rope_local_theta >= 0) || !(query_pre_attn_scalar >= 0) || !(attn_logit_softcapping >= 0) ||
      !(final_logit_softcapping >= 0)) {
    return usage_error(
        "\"rope_theta\" must be positive, \"rms_norm_eps\", \"initializer_range\", "
        "\"rope_local_base_freq\", \"query_pre_attn_scalar\" and caps not negative.");
  }
  if (!unrotated.empty() && unrotated.size() != static_cast<std::size_t>(num_hidden_layers)) {
    return usage_error("\"no_rope_layers\" has {} entries for {} layers.", unrotated.size(),
                       num_hidden_layers);
  }
  if (window.tokens > 0 && window.layers.size() != static_cast<std::size_t>(num_hidden_layers)) {
    return usage_error("\"layer_types\" has {} entries for {} layers.", window.layers.size(),
                       num_hidden_layers);
  }
  for (const int token : eos_token_ids) {
    if (token < 0 || token >= vocab_size) {
      return usage_error("\"eos_token_id\" {} lies outside the vocabulary of {}.", token,
                         vocab_size);
    }
  }
  return {};
}

Status ModelConfig::save(const std::filesystem::path& file, const std::string& dtype) const {
  nlohmann::json eos = nullptr;
  if (eos_token_ids.size() == 1) eos = eos_token_ids[0];
  if (eos_token_ids.size() > 1) eos = eos_token_ids;
  nlohmann::ordered_json json;
  json["architectures"] = {row_of(family).architecture};
  json["model_type"] = name_of(family);
  json["vocab_size"] = vocab_size;
  json["hidden_size"] = hidden_size;
  json["intermediate_size"] = intermediate_size;
  json["num_hidden_layers"] = num_hidden_layers;
  json["num_attention_heads"] = num_attention_heads;
  json["num_key_value_heads"] = num_key_value_heads;
  json["head_dim"] = head_dim;
  json[is_gemma() ? "hidden_activation" : "hidden_act"] = is_gemma() ? kGelu : "silu";
  json["max_position_embeddings"] = max_position_embeddings;
  // Under the names of transformers 5 and of those before it.
  const nlohmann::ordered_json rope = rope_json(rope_scaling, rope_theta);
  json["rope_theta"] = rope_theta;
  if (family == ModelFamily::kGemma3) {
    json["rope_local_base_freq"] = rope_local_theta;
    json["rope_parameters"] = {{kFull, rope}, {kSliding, rope_json({}, rope_local_theta)}};
  } else {
    json["rope_parameters"] = rope;
  }
  if (is_gemma()) {
    json["query_pre_attn_scalar"] = query_pre_attn_scalar;
    const auto cap = [](double value) { return value > 0 ? nlohmann::json(value) : nullptr; };
    json["attn_logit_softcapping"] = cap(attn_logit_softcapping);
    json["final_logit_softcapping"] = cap(final_logit_softcapping);
  }
  if (rope_scaling.kind != RopeKind::kDefault) json["rope_scaling"] = rope;
  json["rms_norm_eps"] = rms_norm_eps;
  json["tie_word_embeddings"] = tie_word_embeddings;
  json["initializer_range"] = initializer_range;
  if (family != ModelFamily::kQwen2 && family != ModelFamily::kMistral) {
    json["attention_bias"] = false;
  }
  json["attention_dropout"] = 0.0;
  if (family == ModelFamily::kLlama || family == ModelFamily::kSmolLM3) json["mlp_bias"] = false;
  if (family == ModelFamily::kSmolLM3) {
    json["pad_token_id"] = nullptr;  // transformers' default lies outside small vocabularies
    for (std::size_t i = 0; i < static_cast<std::size_t>(num_hidden_layers); ++i) {
      json["no_rope_layers"].push_back(rotates(i) ? 1 : 0);
    }
  }
  add_window(*this, json);
  json["eos_token_id"] = eos;
  json["torch_dtype"] = dtype;
  std::ofstream stream(file, std::ios::binary);
  stream << json.dump(2) << '\n';
  if (!stream.flush()) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

double ModelConfig::attention_scale() const {
  return 1.0 / std::sqrt(query_pre_attn_scalar > 0 ? query_pre_attn_scalar : head_dim);
}

AttentionRule ModelConfig::attention_rule(std::size_t layer) const {
  return {.scale = attention_scale(), .window = window_of(layer), .cap = attn_logit_softcapping};
}

std::int64_t ModelConfig::parameter_count() const {
  const std::int64_t hidden = hidden_size;
  const std::int64_t queries = std::int64_t{num_attention_heads} * head_dim;
  const std::int64_t keys = std::int64_t{num_key_value_heads} * head_dim;
  const std::int64_t layer = hidden * (2 * queries + 2 * keys) + 3 * hidden * intermediate_size +
                             (is_gemma() ? 4 : 2) * hidden + (has_qk_norm() ? 2 * head_dim : 0) +
                             (has_qkv_bias() ? queries + 2 * keys : 0);
  const std::int64_t embedding = hidden * vocab_size;
  return layer * num_hidden_layers + embedding * (tie_word_embeddings ? 1 : 2) + hidden;
}

}  // namespace redqueen
