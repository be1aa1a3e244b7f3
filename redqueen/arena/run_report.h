// A closed run as a page for people: the curve over the budget, the edits and their kinds, every
// submission with what changed in its source, episodes of the chosen one, and the held-out result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"

namespace redqueen::arena {

// run.json of a closed run. A usage error: `run` is no run, or is still open.
Expected<Json> record_of_run(const std::filesystem::path& run);

// Reads run.json, checkpoints/ and feedback of a closed run and writes OUT/index.html, which needs
// no network. `diagnosis`: of diagnose_run() (diagnostics.h), or null. Returns the page's path. A
// usage error as record_of_run().
Expected<std::filesystem::path> write_run_report(const std::filesystem::path& run,
                                                 const std::filesystem::path& out,
                                                 const Json& diagnosis = {});

// Lines that `after` lacks ("-"), has anew ("+"), and a few around them (" "); the longest common
// subsequence stays. Texts of more than 2,000 lines are compared as wholes.
struct LineDiff {
  int added = 0;
  int removed = 0;
  std::vector<std::string> lines;
};
LineDiff diff_lines(const std::string& before, const std::string& after);

}  // namespace redqueen::arena
