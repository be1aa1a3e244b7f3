// Measures how an agent spent its budget (EvoPolicyGym, section 5 and table 4): its edits by kind,
// how many of them helped, and how the best-so-far rose.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::arena {

// The script that reads syntax trees, for the sandbox.
std::string bundle_shape_text();

// Reads a closed run. The source of a submission is its bundle: policy.py and the modules beside it
// that imports reach. Only submissions that were validated count; each is compared with the one
// before it:
//   "first"       there is none before
//   "retest"      the same bundle, to the byte
//   "parametric"  another bundle with the same syntax trees, numbers and docstrings left out
//   "synthesis"   syntax trees that no earlier submission had
//   "rollback"    those of an earlier one
// An edit hits if it raises the best validation mean so far.
//
// {"edits": [{"submit", "kind", "hit", "added", "removed" (lines), "gain" (of the best so far),
//             "features", "validation_mean"}],
//  "synthesis": {"edits", "hits", "hit_rate"}, "parametric": the same, "rollbacks", "retests",
//  "curve": [[episodes used, best so far], …], "selected": features of the selected bundle or null,
//  "tokens": {"read", "cached", "written"} where the agent's log has them, else null; "cached" are
//  those of "read" that came from a cache or went into one}
//
// A usage error: `run` is no closed run.
Expected<Json> diagnose_run(const std::filesystem::path& run, sandbox::Sandbox& sandbox);

// The same as a table for people.
std::string diagnosis_text(const Json& diagnosis);

}  // namespace redqueen::arena
