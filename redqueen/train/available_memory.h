// Measures how much main memory this process could still take.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace redqueen {

// Bytes: what the kernel holds to be available (MemAvailable of /proc/meminfo), or what the limits
// of the process's control groups (versions 1 and 2, every group up to the root) leave, if that is
// less; caches of files count as free. Nothing if neither can be read. `root` is where /proc and
// /sys lie.
std::optional<std::int64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace redqueen
