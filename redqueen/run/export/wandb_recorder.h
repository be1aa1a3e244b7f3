// Weights & Biases by its own Python package: its files are no published format.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen::run {

// Records a run called `name` offline below `folder`, which exists. `rows` are JSON lines with
// "step", "time", "seconds" and metrics. Asks the network for nothing; `wandb sync` sends it later.
// Fails if there is no `python3` on the PATH, or no package `wandb` in it.
Status record_with_wandb(const std::string& name, std::string_view rows,
                         const std::filesystem::path& folder);

}  // namespace redqueen::run
