// Commits a run to its cases before an agent is told anything, and reveals them when it has closed,
// so that anyone can see that they were not chosen afterwards.
//
// The commitment is the SHA-256 of the file that is revealed later, RUN/cases.json: sha256sum
// checks it. The file begins with a number that nobody can guess, so that the hash tells nothing of
// cases that are few or known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "redqueen/arena/judge/case_pools.h"
#include "redqueen/base/error.h"

namespace redqueen::arena {

// Returns the content of cases.json: a function of the cases, in the order in which they are
// played, and of the run's secret.
std::string revealed_cases(const CasePools& pools, std::uint64_t secret);

// Writes cases.json into the folder of a run that closes.
Status reveal_cases(const std::filesystem::path& run, const CasePools& pools, std::uint64_t secret);

}  // namespace redqueen::arena
