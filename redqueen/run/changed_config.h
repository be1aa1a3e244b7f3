// A run that goes on with other settings leaves a record of those before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen::run {

// Makes `config_toml` the configuration of the run at `run`, which this process has locked and
// which has made `step` steps. If it is not the one there is, that is kept beside it as
// config-until-step-N.toml (with a number behind it where such a file is there already). Returns
// that file, or an empty path where nothing has changed.
Expected<std::filesystem::path> change_config(const std::filesystem::path& run,
                                              std::string_view config_toml, std::int64_t step);

}  // namespace redqueen::run
