// Small policies made from nothing.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/progress.h"

namespace redqueen {

// A policy of settings.model with random weights, and a tokenizer trained on `texts`.
Expected<std::unique_ptr<EmbeddedPolicy>> make_policy(const TrainSettings& settings,
                                                      const std::vector<std::string>& texts);

// Makes such a policy for its warm-start corpus and writes it as a Hugging Face folder.
Status initialise_policy(const Engine& engine, const TrainSettings& settings,
                         const std::filesystem::path& folder, run::Progress& progress);

}  // namespace redqueen
