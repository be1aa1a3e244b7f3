// Whether somebody works on a run, for those who only look.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace redqueen::run {

// The process that holds the lock of the run at `run` (run_directory.h); nothing if there is none,
// or no such run. Not to be asked by that process itself: closing the lock's file, as this does,
// would let go of the lock.
std::optional<std::int64_t> working_process(const std::filesystem::path& run);

}  // namespace redqueen::run
