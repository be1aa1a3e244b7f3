// Reads and writes the settings in a policy's folder: redqueen.toml beside the weights, written by
// train, warmstart and init. A policy that was taught in one prompt format fails in any other.
#pragma once

#include <filesystem>

#include "redqueen/base/error.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/config.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

// Returns the file for a policy that was taught with `settings`: the prompt format, the length of a
// response and what stops it.
CompanionFile own_settings_file(const TrainSettings& settings);

// Reads the file of the policy `path`: "DIR", "hf:DIR", or "openai:URL", which has none. The
// configuration says nothing where there is no file. Fails on any other key.
Expected<run::Config> read_own_settings(const std::string& path);

}  // namespace redqueen
