#include "redqueen/policy/model_config.h"

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

namespace redqueen {
namespace {

using Json = nlohmann::json;

// Reads one field of config.json after another; after the first error the rest is skipped.
class FieldReader {
 public:
  FieldReader(const Json& json, std::string file) : json_(json), file_(std::move(file)) {}

  void integer(const char* key, int& value, bool required) {
    const Json* field = find(key, required);
    if (field == nullptr) return;
    if (!field->is_number_integer() || *field < std::numeric_limits<int>::min() ||
        *field > std::numeric_limits<int>::max()) {
      return complain(key, "must be an integer of 32 bits");
    }
    value = field->get<int>();
  }

  void real(const char* key, double& value) {
    const Json* field = find(key, false);
    if (field == nullptr) return;
    if (!field->is_number()) return complain(key, "must be a number");
    value = field->get<double>();
  }

  void boolean(const char* key, bool& value) {
    const Json* field = find(key, false);
    if (field == nullptr) return;
    if (!field->is_boolean()) return complain(key, "must be true or false");
    value = field->get<bool>();
  }

  void integers(const char* key, std::vector<int>& values) {
    const Json* field = find(key, false);
    if (field == nullptr) return;
    const Json list = field->is_array() ? *field : Json::array({*field});
    for (const Json& item : list) {
      if (!item.is_number_integer() || item < 0 || item > std::numeric_limits<int>::max()) {
        return complain(key, "must be a token number or a list of token numbers");
      }
      values.push_back(item.get<int>());
    }
  }

  // For a key that may be absent, null or `allowed`, and nothing else.
  void only(const char* key, const Json& allowed, const char* feature) {
    const Json* field = find(key, false);
    if (field != nullptr && *field != allowed) {
      complain(key, fmt::format("is {}: {} is not supported", field->dump(), feature).c_str());
    }
  }

  void complain(const char* key, const char* what) {
    if (status_) status_ = usage_error("{}: \"{}\" {}.", file_, key, what);
  }

  Status status() const { return status_; }

 private:
  const Json* find(const char* key, bool required) {
    if (!status_) return nullptr;
    const auto found = json_.find(key);
    if (found == json_.end() || found->is_null()) {
      if (required) complain(key, "is missing; is this the folder of a Qwen3 checkpoint?");
      return nullptr;
    }
    return &*found;
  }

  const Json& json_;
  std::string file_;
  Status status_;
};

// Newer checkpoints keep the base and the kind of rotary positions in an object, older ones in
// rope_theta and rope_scaling.
void read_rotary(const Json& json, FieldReader& reader, const std::string& file,
                 ModelConfig& config, Status& nested) {
  reader.real("rope_theta", config.rope_theta);
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) continue;
    if (!found->is_object()) return reader.complain(key, "must be an object");
    FieldReader inner(*found, fmt::format("{} ({})", file, key));
    inner.real("rope_theta", config.rope_theta);
    inner.only("rope_type", "default", "scaling of rotary positions");
    inner.only("type", "default", "scaling of rotary positions");
    nested = inner.status();
    if (!nested) return;
  }
}

void refuse_unsupported(const Json& json, FieldReader& reader) {
  reader.only("model_type", "qwen3", "any model_type but \"qwen3\"");
  reader.only("hidden_act", "silu", "any activation but \"silu\"");
  reader.only("attention_bias", false, "a bias in attention");
  reader.only("use_sliding_window", false, "sliding-window attention");
  if (json.contains("quantization_config") && !json["quantization_config"].is_null()) {
    reader.complain("quantization_config", "is set: quantised weights are not supported");
  }
  const auto layers = json.find("layer_types");
  if (layers == json.end() || !layers->is_array()) return;
  for (const Json& layer : *layers) {
    if (layer != "full_attention") {
      reader.complain("layer_types", "may hold only \"full_attention\"");
    }
  }
}

}  // namespace

Expected<ModelConfig> ModelConfig::load(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return usage_error("{}: cannot be read. A policy is a folder with config.json in it.",
                       file.string());
  }
  const Json json = Json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return failure("{}: is not a JSON object; the file is damaged.", file.string());
  }
  if (!json.contains("model_type")) {
    return usage_error("{}: \"model_type\" is missing; is this the folder of a Qwen3 checkpoint?",
                       file.string());
  }

  ModelConfig config;
  FieldReader reader(json, file.string());
  refuse_unsupported(json, reader);
  reader.integer("vocab_size", config.vocab_size, true);
  reader.integer("hidden_size", config.hidden_size, true);
  reader.integer("intermediate_size", config.intermediate_size, true);
  reader.integer("num_hidden_layers", config.num_hidden_layers, true);
  reader.integer("num_attention_heads", config.num_attention_heads, true);
  config.num_key_value_heads = config.num_attention_heads;
  reader.integer("num_key_value_heads", config.num_key_value_heads, false);
  config.head_dim = 128;
  reader.integer("head_dim", config.head_dim, false);
  config.max_position_embeddings = 32768;
  reader.integer("max_position_embeddings", config.max_position_embeddings, false);
  reader.real("rms_norm_eps", config.rms_norm_eps);
  reader.real("initializer_range", config.initializer_range);
  reader.boolean("tie_word_embeddings", config.tie_word_embeddings);
  reader.integers("eos_token_id", config.eos_token_ids);
  Status nested;
  read_rotary(json, reader, file.string(), config, nested);
  for (const Status& status : {reader.status(), nested, config.check()}) {
    if (status) continue;
    Error error = status.error();
    if (error.message.find(file.string()) == std::string::npos) {
      error.message = fmt::format("{}: {}", file.string(), error.message);
    }
    return tl::make_unexpected(std::move(error));
  }
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
  Json eos = nullptr;
  if (eos_token_ids.size() == 1) eos = eos_token_ids[0];
  if (eos_token_ids.size() > 1) eos = eos_token_ids;
  nlohmann::ordered_json json;
  json["architectures"] = {"Qwen3ForCausalLM"};
  json["model_type"] = "qwen3";
  json["vocab_size"] = vocab_size;
  json["hidden_size"] = hidden_size;
  json["intermediate_size"] = intermediate_size;
  json["num_hidden_layers"] = num_hidden_layers;
  json["num_attention_heads"] = num_attention_heads;
  json["num_key_value_heads"] = num_key_value_heads;
  json["head_dim"] = head_dim;
  json["hidden_act"] = "silu";
  json["max_position_embeddings"] = max_position_embeddings;
  json["rope_theta"] = rope_theta;
  json["rope_parameters"] = {{"rope_theta", rope_theta}, {"rope_type", "default"}};
  json["rms_norm_eps"] = rms_norm_eps;
  json["tie_word_embeddings"] = tie_word_embeddings;
  json["initializer_range"] = initializer_range;
  json["attention_bias"] = false;
  json["attention_dropout"] = 0.0;
  json["use_sliding_window"] = false;
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
                             2 * hidden + 2 * head_dim;
  const std::int64_t embedding = hidden * vocab_size;
  return layer * num_hidden_layers + embedding * (tie_word_embeddings ? 1 : 2) + hidden;
}

}  // namespace redqueen
