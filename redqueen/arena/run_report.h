// A closed or open run as a page for people: the curve over the budget, every submission with what
// changed in its source, and the held-out result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"

namespace redqueen::arena {

// Reads run.json and checkpoints/ of a closed run and writes OUT/index.html, which needs no
// network. Returns the page's path. A usage error: `run` is no run, or is still open.
Expected<std::filesystem::path> write_run_report(const std::filesystem::path& run,
                                                 const std::filesystem::path& out);

// Lines that `after` lacks ("-"), has anew ("+"), and a few around them (" "); the longest common
// subsequence stays. Texts of more than 2,000 lines are compared as wholes.
struct LineDiff {
  int added = 0;
  int removed = 0;
  std::vector<std::string> lines;
};
LineDiff diff_lines(const std::string& before, const std::string& after);

}  // namespace redqueen::arena
