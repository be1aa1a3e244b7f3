// Renders a run of the arena as JSON for a page or any other program. docs/watch.md describes the
// forms; texts are readable (readable.h).
#pragma once

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/watch/run_library.h"

namespace redqueen::watch {

// Summarises a run as summary_of() (run_views.h) does: steps are episodes of the budget, the reward
// is the score of a closed run. A run that is open shows nothing of its hidden cases.
Json arena_summary(const RunPlace& run);

// The record: what became of each submission, and, where `redqueen arena report` was called, the
// kinds of edits.
Expected<Json> arena_view(const RunPlace& run);

// Renders a submission's changes to the sources, and its first episodes. An error of the request:
// there is no such submission.
Expected<Json> submission_view(const RunPlace& run, std::int64_t submit);

}  // namespace redqueen::watch
