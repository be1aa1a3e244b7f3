// The data that a page without a server carries: the answers of the API, for a few runs.
#pragma once

#include <filesystem>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/watch/run_library.h"

namespace redqueen::watch {

// {"runs": [summaries], "views": {NAME: {"overview", "metrics", "levels", "fates", "evaluations",
// "rollouts": […], "items": […]}}, "comparison"}; the last with two runs or more. Of rollouts it
// has the newest, the best and the worst, of each kind of items the newest: the page is to be
// opened, and sent.
Expected<Json> carried_data(const std::vector<RunPlace>& runs);

// Writes the page with the data of `runs` to `file`. A run without a name has its folder's, or,
// where two would be called the same, its path.
Status write_carried_page(std::vector<RunPlace> runs, const std::filesystem::path& file);

}  // namespace redqueen::watch
