// The sub-commands of the one binary. Each lives in the file of its name and adds itself to the
// application.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "redqueen/core/error.h"

namespace redqueen {

// What to do once the command line is understood. A sub-command's callback sets it; main runs it.
using Action = std::function<Status()>;

void add_gym(CLI::App& app, Action& action);

}  // namespace redqueen
