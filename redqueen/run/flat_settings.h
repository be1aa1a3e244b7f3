// A configuration as a list of settings, for people who compare runs.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::run {

// Every value of a TOML text with its path ("train.learning_rate", "0.001"), in alphabetical order;
// values as TOML writes them, lists in one piece, texts in quotes without escapes. `source` names
// the text in messages.
using FlatSettings = std::vector<std::pair<std::string, std::string>>;
Expected<FlatSettings> flat_settings(std::string_view toml, std::string_view source);

// The value of a path; "" if there is none.
std::string setting(const FlatSettings& settings, std::string_view path);

}  // namespace redqueen::run
