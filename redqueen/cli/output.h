// How a command shows progress: --quiet, --json.
#pragma once

#include <unistd.h>

#include <CLI/CLI.hpp>

#include "redqueen/run/progress.h"

namespace redqueen {

struct OutputOptions {
  bool quiet = false;
  bool json = false;

  void add_to(CLI::App& command) {
    auto* quiet_flag = command.add_flag("--quiet", quiet, "Only what stays of interest");
    command.add_flag("--json", json, "One JSON object a line")->excludes(quiet_flag);
  }

  ProgressMode mode() const {
    if (quiet) return ProgressMode::kQuiet;
    if (json) return ProgressMode::kJson;
    return detect_progress_mode(STDOUT_FILENO);
  }
};

}  // namespace redqueen
