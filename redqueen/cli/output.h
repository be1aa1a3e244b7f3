// Prints a command's output: progress (--quiet, --json), and text for people.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "redqueen/cli/command.h"
#include "redqueen/run/progress.h"
#include "redqueen/run/report/html.h"

namespace redqueen {

// Prints for a person what models and environments wrote: a terminal must not obey its control
// characters, which are shown as their pictures.
template <typename... Args>
void say(fmt::format_string<Args...> format, Args&&... args) {
  fmt::print("{}", run::readable_utf8(fmt::format(format, std::forward<Args>(args)...)));
}

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
