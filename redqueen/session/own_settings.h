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

// The way in which a policy is asked where no configuration says otherwise, and why, for people.
struct Asking {
  std::string prompt_format;
  std::string why;
  int max_new_tokens = 0;   // 0: as the settings' default
  std::string why_so_long;  // empty: nothing to say
};

// Returns it for the policy `path`: as its redqueen.toml says; else in "chat", if it has a chat
// template, with room for a thought where the template speaks of thoughts; else in "plain".
Asking asking_of(const std::string& path);

// Reads the file of the policy `path`: "DIR", "hf:DIR", or "openai:URL", which has none.
// Where it says nothing, or is not there, the rest is as in asking_of(). Fails on any other key.
Expected<run::Config> read_own_settings(const std::string& path);

}  // namespace redqueen
