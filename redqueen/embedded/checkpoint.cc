#include "redqueen/embedded/checkpoint.h"

#include <ATen/ATen.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "redqueen/base/file_queries.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/tensor_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

Status write_json(const fs::path& file, const nlohmann::ordered_json& json) {
  std::ofstream stream(file, std::ios::binary);
  stream << json.dump(2, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace)
         << '\n';
  if (!stream.flush()) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

// `same`: a folder with these weights, or empty.
Status save_weights(const fs::path& folder, const Transformer& model, const fs::path& same) {
  const fs::path file = folder / "model.safetensors";
  std::error_code error;
  if (!same.empty()) {
    fs::create_hard_link(same / "model.safetensors", file, error);
    if (!error) return {};
  }
  return write_tensors(file, model.parameters());
}

// The settings that the checkpoint came with, or else those of the engine's own sampling.
nlohmann::ordered_json generation_config(const ModelConfig& config) {
  GenerationConfig generation = config.generation;
  if (generation == GenerationConfig{}) {
    generation.do_sample = true;
    generation.temperature = 1.0;
  }
  generation.eos_token_ids = config.eos_token_ids;
  if (!generation.pad_token_id && !config.eos_token_ids.empty()) {
    generation.pad_token_id = config.eos_token_ids[0];
  }
  return generation.json();
}

// The configuration that AutoTokenizer needs besides tokenizer.json.
nlohmann::ordered_json tokenizer_config(const ModelConfig& config, const fs::path& tokenizer_json) {
  nlohmann::ordered_json json;
  json["tokenizer_class"] = "PreTrainedTokenizerFast";
  json["model_max_length"] = config.max_position_embeddings;
  json["clean_up_tokenization_spaces"] = false;
  if (config.eos_token_ids.empty()) return json;
  std::ifstream stream(tokenizer_json, std::ios::binary);
  const auto whole = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object() || !whole.contains("added_tokens")) return json;
  for (const auto& token : whole["added_tokens"]) {
    if (token.value("id", -1) == config.eos_token_ids[0]) {
      json["eos_token"] = token.value("content", "");
      json["pad_token"] = token.value("content", "");
    }
  }
  return json;
}

Status write_companions(const fs::path& folder, std::span<const CompanionFile> files) {
  for (const CompanionFile& file : files) {
    std::error_code ignored;
    fs::create_directories((folder / file.name).parent_path(), ignored);
    std::ofstream stream(folder / file.name, std::ios::binary);
    stream << file.content;
    if (!stream.flush()) {
      return failure("{}: cannot be written. Is the disk full?", (folder / file.name).string());
    }
  }
  return {};
}

// Writes the files that the tokenizer came with, chat template and all, or else that configuration.
Status write_tokenizer_files(const fs::path& folder, const ModelConfig& config,
                             const Tokenizer& tokenizer) {
  RETURN_IF_ERROR(write_companions(folder, tokenizer.companions()));
  if (is_there(folder / "tokenizer_config.json")) return {};
  return write_json(folder / "tokenizer_config.json",
                    tokenizer_config(config, folder / "tokenizer.json"));
}

Status write_files(const fs::path& folder, const Transformer& model, const Tokenizer& tokenizer,
                   std::span<const CompanionFile> more, const fs::path& same) {
  const ModelConfig& config = model.config();
  RETURN_IF_ERROR(tokenizer.save(folder / "tokenizer.json"));
  RETURN_IF_ERROR(write_tokenizer_files(folder, config, tokenizer));
  RETURN_IF_ERROR(write_companions(folder, more));
  if (lora_of(model) != nullptr) return save_adapters(model, folder);
  const bool wide = model.options().dtype == at::kFloat;
  RETURN_IF_ERROR(config.save(folder / "config.json", wide ? "float32" : "bfloat16"));
  RETURN_IF_ERROR(write_json(folder / "generation_config.json", generation_config(config)));
  return save_weights(folder, model, same);
}

}  // namespace

Status save_checkpoint(const fs::path& folder, const Transformer& model, const Tokenizer& tokenizer,
                       std::span<const CompanionFile> more, const fs::path& same,
                       Survives survives) {
  std::error_code ignored;
  if (is_there(folder) && !is_there(folder / "config.json") && !is_adapter_folder(folder) &&
      !(is_folder(folder) && fs::is_empty(folder, ignored))) {
    return usage_error("{}: is there and is no checkpoint; name another folder.", folder.string());
  }
  return replace_folder(
      folder,
      [&](const fs::path& draft) { return write_files(draft, model, tokenizer, more, same); },
      survives);
}

}  // namespace redqueen
