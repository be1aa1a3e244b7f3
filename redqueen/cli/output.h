// How a command shows progress: --quiet, --json.
#pragma once

#include <unistd.h>

#include "redqueen/cli/command.h"
#include "redqueen/run/progress.h"

namespace redqueen {

inline int standard_output_width() { return run::terminal_width(STDOUT_FILENO); }

struct OutputOptions {
  bool quiet = false;
  bool json = false;

  void add_to(Command command) {
    const Option quiet_flag = command.add_flag("--quiet", quiet, "Only what stays of interest");
    command.add_flag("--json", json, "One JSON object a line").excludes(quiet_flag);
  }

  run::ProgressMode mode() const {
    if (quiet) return run::ProgressMode::kQuiet;
    if (json) return run::ProgressMode::kJson;
    return run::detect_progress_mode(STDOUT_FILENO);
  }
};

}  // namespace redqueen
