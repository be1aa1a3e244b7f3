// Finds the process that holds a run's lock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace redqueen::run {

// The process that holds the lock of the run at `run` (run_directory.h); nothing if there is none,
// or no such run. That process must not call this, which closes the lock's file and would so
// release the lock.
std::optional<std::int64_t> working_process(const std::filesystem::path& run);

}  // namespace redqueen::run
