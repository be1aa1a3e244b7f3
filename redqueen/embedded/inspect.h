// Describes the folder of a policy, for people to look at before they use it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "redqueen/base/error.h"

namespace redqueen {

// Family, shape, parameters, memory in bytes, tokenizer, chat template, recommended sampling: an
// object. Reads headers and small files, no weights. Fails for what the engine cannot use: an
// unsupported configuration or tokenizer, weights or a vocabulary that do not fit the
// configuration. An unusable chat template is no failure; it is told under "chat_template".
Expected<nlohmann::ordered_json> inspect_policy(const std::filesystem::path& folder);

// The same as lines of text.
std::string inspection_text(const nlohmann::ordered_json& inspection);

}  // namespace redqueen
