// Low-rank adapters (Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021): beside
// a frozen matrix W, [out, in], stands scale × B × A with A [rank, in] and B [out, rank], which
// alone are trained. On disk they are folders of the Python package peft: adapter_config.json and
// adapter_model.safetensors.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/checkpoint/model_config.h"

namespace redqueen {

// The matrices of a layer that can have an adapter, as Hugging Face names them.
inline constexpr std::array<std::string_view, 7> kLoraTargets = {
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

struct LoraConfig {
  int rank = 0;         // 0: no adapters
  double alpha = 32;    // scale = alpha / rank
  bool rslora = false;  // scale = alpha / √rank (Kalajdzievski, 2023)
  std::vector<std::string> targets{kLoraTargets.begin(), kLoraTargets.end()};
  std::string base;  // folder of the model that they adapt

  double scale() const;
  bool adapts(std::string_view target) const;

  // Fails, naming the field, unless the rank is 0 or all of it makes sense.
  Status check() const;

  // The number of parameters that the adapters of a model hold.
  std::int64_t parameter_count(const ModelConfig& model) const;

  // Reads adapter_config.json. Fails for what the transformer does not compute: other kinds of
  // adapters than LoRA, trained biases or whole modules, ranks that differ by layer, and dropout
  // while training, which counts as none here.
  static Expected<LoraConfig> load(const std::filesystem::path& file);
  Status save(const std::filesystem::path& file) const;

  bool operator==(const LoraConfig&) const = default;
};

// Rows and columns of a target's matrix.
std::array<std::int64_t, 2> lora_target_shape(const ModelConfig& model, std::string_view target);

// True if the folder holds adapters, and not a whole model.
bool is_adapter_folder(const std::filesystem::path& folder);

// The folder with the whole model: `folder` itself, or the base that its adapters name, as a path
// or relative to them. Fails if that is not there.
Expected<std::filesystem::path> base_folder(const std::filesystem::path& folder);

}  // namespace redqueen
