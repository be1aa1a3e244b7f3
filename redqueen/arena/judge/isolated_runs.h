// Tells runs whose agent was isolated from open ones.
#pragma once

#include <filesystem>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// Fails (a usage error) if the agents of some of these runs were isolated and others were not, who
// could read the hidden cases. `records`: run.json of each. A record that does not say it is that
// of an earlier version, whose agents were open.
Status check_isolated_runs(const std::vector<std::filesystem::path>& records);

}  // namespace redqueen::arena
