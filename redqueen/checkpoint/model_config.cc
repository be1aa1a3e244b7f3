#include "redqueen/checkpoint/model_config.h"

#include <array>
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
  const char* architecture;  // the class of transformers
  int head_dim;              // 0: hidden_size / num_attention_heads
  int max_position_embeddings;
};

constexpr std::array kFamilies{
    FamilyRow{ModelFamily::kQwen2, "qwen2", "Qwen2ForCausalLM", 0, 32768},
    FamilyRow{ModelFamily::kQwen3, "qwen3", "Qwen3ForCausalLM", 128, 32768},
    FamilyRow{ModelFamily::kLlama, "llama", "LlamaForCausalLM", 0, 2048},
};

constexpr std::string_view kSupported =
    "supported are qwen2 (Qwen2, Qwen2.5, DeepSeek-R1-Distill-Qwen), qwen3 (dense) and llama "
    "(Llama 3)";

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
    fields.complain("model_type", fmt::format("is \"{}\"{}: {}", type,
                                              experts ? ", a mixture of experts" : "", kSupported));
  }
  return nullptr;
}

// A window that no layer uses does no harm: Qwen2.5 ships with one.
void refuse_sliding_window(const nlohmann::json& json, const ModelConfig& config,
                           JsonFields& fields) {
  constexpr const char* kRefusal =
      "sliding-window attention is not supported, every layer must see the whole context";
  const auto layers = json.find("layer_types");
  if (layers != json.end() && layers->is_array()) {
    for (const nlohmann::json& layer : *layers) {
      if (layer != "full_attention") {
        fields.complain("layer_types", fmt::format("holds {}: {}", dump_text(layer), kRefusal));
      }
    }
    return;
  }
  bool use = false;
  std::optional<int> window;
  int first_layer = config.family == ModelFamily::kLlama ? 0 : 28;
  fields.boolean("use_sliding_window", use);
  fields.integer("sliding_window", window);
  fields.integer("max_window_layers", first_layer);
  if (config.family == ModelFamily::kLlama) use = window.has_value();
  const bool none = json.contains("sliding_window") && !window;
  if (use && !none && first_layer < config.num_hidden_layers) {
    fields.complain("use_sliding_window",
                    fmt::format("is in force from layer {} on: {}", first_layer, kRefusal));
  }
}

void refuse_unsupported(const nlohmann::json& json, const ModelConfig& config, JsonFields& fields) {
  fields.only("hidden_act", "silu", "any activation but \"silu\" is not supported");
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
  refuse_sliding_window(json, config, fields);
}

void read_shape(const FamilyRow& family, JsonFields& fields, ModelConfig& config) {
  fields.integer("vocab_size", config.vocab_size, true);
  fields.integer("hidden_size", config.hidden_size, true);
  fields.integer("intermediate_size", config.intermediate_size, true);
  fields.integer("num_hidden_layers", config.num_hidden_layers, true);
  fields.integer("num_attention_heads", config.num_attention_heads, true);
  config.num_key_value_heads = config.num_attention_heads;
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
  fields.boolean("tie_word_embeddings", config.tie_word_embeddings);
  fields.token_ids("eos_token_id", config.eos_token_ids);
  fields.real("rope_theta", config.rope_theta);
  config.rope_scaling =
      read_rope_scaling(fields, config.max_position_embeddings, config.rope_theta);
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
  read_shape(*family, fields, config);
  refuse_unsupported(json, config, fields);
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
  // A million of anything but vocabulary and positions is a damaged file, and would overflow the
  // products below.
  constexpr int kMost = 1 << 20;
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
        "\"num_attention_heads\" ({}) must be a multiple of \"num_key_value_heads\" ({}).",
        num_attention_heads, num_key_value_heads);
  }
  if (head_dim % 2 != 0) {
    return usage_error("\"head_dim\" is {}; rotary positions need an even number.", head_dim);
  }
  if (!(rope_theta > 0) || !(rms_norm_eps >= 0) || !(initializer_range >= 0)) {
    return usage_error(
        "\"rope_theta\" must be positive, \"rms_norm_eps\" and \"initializer_range\" not "
        "negative.");
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
  json["hidden_act"] = "silu";
  json["max_position_embeddings"] = max_position_embeddings;
  // Under the names of transformers 5 and of those before it.
  const nlohmann::ordered_json rope = rope_json(rope_scaling, rope_theta);
  json["rope_theta"] = rope_theta;
  json["rope_parameters"] = rope;
  if (rope_scaling.kind != RopeKind::kDefault) json["rope_scaling"] = rope;
  json["rms_norm_eps"] = rms_norm_eps;
  json["tie_word_embeddings"] = tie_word_embeddings;
  json["initializer_range"] = initializer_range;
  if (family != ModelFamily::kQwen2) json["attention_bias"] = false;
  json["attention_dropout"] = 0.0;
  if (family == ModelFamily::kLlama) {
    json["mlp_bias"] = false;
  } else {
    json["use_sliding_window"] = false;
  }
  json["eos_token_id"] = eos;
  json["torch_dtype"] = dtype;
  std::ofstream stream(file, std::ios::binary);
  stream << json.dump(2) << '\n';
  if (!stream.flush()) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

std::int64_t ModelConfig::parameter_count() const {
  const std::int64_t hidden = hidden_size;
  const std::int64_t queries = std::int64_t{num_attention_heads} * head_dim;
  const std::int64_t keys = std::int64_t{num_key_value_heads} * head_dim;
  const std::int64_t layer = hidden * (2 * queries + 2 * keys) + 3 * hidden * intermediate_size +
                             2 * hidden + (has_qk_norm() ? 2 * head_dim : 0) +
                             (has_qkv_bias() ? queries + 2 * keys : 0);
  const std::int64_t embedding = hidden * vocab_size;
  return layer * num_hidden_layers + embedding * (tie_word_embeddings ? 1 : 2) + hidden;
}

}  // namespace redqueen
