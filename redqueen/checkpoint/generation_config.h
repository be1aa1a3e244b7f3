// The sampling settings that a checkpoint's generation_config.json recommends. Shown to users and
// kept when a trained model is written; the engine samples with its own settings.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

struct GenerationConfig {
  std::vector<int> eos_token_ids;  // empty: the file does not say
  std::optional<int> bos_token_id;
  std::optional<int> pad_token_id;
  std::optional<bool> do_sample;
  std::optional<double> temperature;
  std::optional<int> top_k;
  std::optional<double> top_p;
  std::optional<double> min_p;
  std::optional<double> repetition_penalty;
  std::optional<int> max_new_tokens;

  // Empty if there is no such file.
  static Expected<GenerationConfig> load(const std::filesystem::path& file);

  // Fields that are not set are left out.
  nlohmann::ordered_json json() const;

  bool operator==(const GenerationConfig&) const = default;
};

}  // namespace redqueen
