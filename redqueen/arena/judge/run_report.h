// A closed run as a page for people: the curve over the budget, the edits and their kinds, every
// submission with what changed in its source, episodes of the chosen one, and the held-out result.
#pragma once

#include <filesystem>
#include <span>

#include "redqueen/arena/judge/replay.h"
#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

// Reads run.json, checkpoints/ and feedback of a closed run and writes OUT/index.html, which needs
// no network. `diagnosis`: of diagnose_run() (diagnostics.h), which is kept as OUT/diagnosis.json,
// or null. `replays` (replay.h) become part of the page. Returns the page's path. A usage error as
// record_of_run() (run_files.h).
Expected<std::filesystem::path> write_run_report(const std::filesystem::path& run,
                                                 const std::filesystem::path& out,
                                                 const Json& diagnosis = {},
                                                 std::span<const Replay> replays = {});

}  // namespace redqueen::arena
