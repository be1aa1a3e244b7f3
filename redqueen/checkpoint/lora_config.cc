#include "redqueen/checkpoint/lora_config.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>

#include <fstream>
#include <system_error>

#include "redqueen/checkpoint/json_fields.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigFile = "adapter_config.json";
constexpr int kMostRank = 1 << 16;

// A list of names may give them with what stands before them: "layers.0.self_attn.q_proj" would be
// one layer's alone, which is refused.
void read_targets(const nlohmann::json& json, JsonFields& fields,
                  std::vector<std::string>& targets) {
  const auto found = json.find("target_modules");
  if (found == json.end() || !found->is_array() || found->empty()) {
    return fields.complain("target_modules", "must be a list of names such as q_proj");
  }
  targets.clear();
  for (const nlohmann::json& name : *found) {
    if (!name.is_string()) {
      return fields.complain("target_modules", "must be a list of names such as q_proj");
    }
    targets.push_back(name.get<std::string>());
  }
  // peft writes a set in any order.
  std::ranges::sort(targets, {}, [](const std::string& target) {
    return std::ranges::find(kLoraTargets, target) - kLoraTargets.begin();
  });
}

// Refuses settings that would change the numbers if they were overlooked.
void refuse_unsupported_adapters(const nlohmann::json& json, JsonFields& fields) {
  fields.only("peft_type", "LORA", "only LoRA is supported");
  fields.only("bias", "none", "trained biases are not supported");
  fields.only("use_dora", false, "DoRA is not supported");
  fields.only("fan_in_fan_out", false, "transposed matrices are not supported");
  fields.only("lora_bias", false, "biases of adapters are not supported");
  const auto empty = [&](const char* key) {
    const auto found = json.find(key);
    if (found != json.end() && !found->is_null() && !found->empty()) {
      fields.complain(key, fmt::format("is {}: adapters must be alike in all layers, and whole "
                                       "modules cannot be trained beside them",
                                       dump_text(*found)));
    }
  };
  for (const char* key :
       {"rank_pattern", "alpha_pattern", "modules_to_save", "layers_to_transform", "layers_pattern",
        "exclude_modules", "target_parameters", "trainable_token_indices"}) {
    empty(key);
  }
}

}  // namespace

double LoraConfig::scale() const {
  return alpha / (rslora ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank));
}

bool LoraConfig::adapts(std::string_view target) const {
  return std::ranges::find(targets, target) != targets.end();
}

Status LoraConfig::check() const {
  if (rank == 0) return {};
  if (rank < 0 || rank > kMostRank) {
    return usage_error("the rank of the adapters is {}: it must lie between 1 and {}.", rank,
                       kMostRank);
  }
  if (!(alpha > 0 && std::isfinite(alpha))) {
    return usage_error("alpha of the adapters is {}: it must be above 0.", alpha);
  }
  if (targets.empty()) return usage_error("no matrix is named that adapters should stand beside.");
  for (const std::string& target : targets) {
    if (std::ranges::find(kLoraTargets, target) == kLoraTargets.end()) {
      return usage_error("there can be no adapter of \"{}\"; there are: {}.", target,
                         fmt::join(kLoraTargets, ", "));
    }
    if (std::ranges::count(targets, target) > 1) {
      return usage_error("the adapter of \"{}\" is named twice.", target);
    }
  }
  return {};
}

std::array<std::int64_t, 2> lora_target_shape(const ModelConfig& c, std::string_view target) {
  const std::int64_t model = c.hidden_size, inner = c.intermediate_size;
  const std::int64_t heads = std::int64_t{c.num_attention_heads} * c.head_dim;
  const std::int64_t kv = std::int64_t{c.num_key_value_heads} * c.head_dim;
  if (target == "q_proj") return {heads, model};
  if (target == "k_proj" || target == "v_proj") return {kv, model};
  if (target == "o_proj") return {model, heads};
  if (target == "down_proj") return {model, inner};
  return {inner, model};
}

std::int64_t LoraConfig::parameter_count(const ModelConfig& model) const {
  std::int64_t width = 0;
  for (const std::string& target : targets) {
    const auto [rows, columns] = lora_target_shape(model, target);
    width += rows + columns;
  }
  return std::int64_t{rank} * width * model.num_hidden_layers;
}

Expected<LoraConfig> LoraConfig::load(const fs::path& file) {
  ASSIGN_OR_RETURN(const auto json,
                   read_json_object(file.string(), "It describes the adapters of a policy."));
  JsonFields fields(json, file.string());
  LoraConfig config;
  fields.integer("r", config.rank, true);
  fields.real("lora_alpha", config.alpha, true);
  fields.boolean("use_rslora", config.rslora);
  fields.text("base_model_name_or_path", config.base);
  read_targets(json, fields, config.targets);
  refuse_unsupported_adapters(json, fields);
  RETURN_IF_ERROR(fields.status());
  if (config.rank < 1) return failure("{}: \"r\" must be above 0.", file.string());
  if (auto status = config.check(); !status) {
    return failure("{}: {}", file.string(), status.error().message);
  }
  return config;
}

Status LoraConfig::save(const fs::path& file) const {
  const nlohmann::ordered_json json = {{"peft_type", "LORA"},
                                       {"task_type", "CAUSAL_LM"},
                                       {"base_model_name_or_path", base},
                                       {"r", rank},
                                       {"lora_alpha", alpha},
                                       {"use_rslora", rslora},
                                       {"lora_dropout", 0.0},
                                       {"target_modules", targets},
                                       {"bias", "none"},
                                       {"fan_in_fan_out", false},
                                       {"inference_mode", true}};
  std::ofstream stream(file, std::ios::binary);
  stream << json.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  if (!stream.flush()) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

bool is_adapter_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kConfigFile, ignored) &&
         !fs::exists(folder / "model.safetensors", ignored) &&
         !fs::exists(folder / "model.safetensors.index.json", ignored);
}

Expected<fs::path> base_folder(const fs::path& folder) {
  if (!is_adapter_folder(folder)) return folder;
  ASSIGN_OR_RETURN(const LoraConfig config, LoraConfig::load(folder / kConfigFile));
  std::error_code ignored;
  for (const fs::path& base : {fs::path(config.base), folder / config.base}) {
    const bool whole =
        fs::is_regular_file(base / "config.json", ignored) && !is_adapter_folder(base);
    if (!config.base.empty() && whole) return base;
  }
  return usage_error(
      "{}: its adapters belong to the model \"{}\", and no folder of that name is here. Download "
      "it, and write its path as base_model_name_or_path into {}.",
      folder.string(), config.base, kConfigFile);
}

}  // namespace redqueen
