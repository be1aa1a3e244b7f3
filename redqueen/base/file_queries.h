// Asks the file system about paths, without exceptions: a path that no file can have (too long a
// name, a NUL) or that may not be looked at leads to nothing.
//
// std::filesystem's own queries throw in such cases unless they are given an error_code, so that a
// user's mistake would end a command as a fault of the program. scripts/check_files holds the
// sources to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// Says whether a path leads to anything. Like the next two, follows links.
bool is_there(const std::filesystem::path& path);

bool is_folder(const std::filesystem::path& path);

// Says whether a path leads to a regular file: no folder, pipe or device.
bool is_file(const std::filesystem::path& path);

// Returns the bytes of a regular file; nothing where there is none.
std::optional<std::uint64_t> size_of_file(const std::filesystem::path& path);

// Returns the path from the root on, whether or not it leads anywhere. An empty path, or any path
// where the current folder is gone, comes back as it is.
std::filesystem::path absolute_path(const std::filesystem::path& path);

// Returns the paths of what a folder holds, in the order of their names. Fails where there is no
// such folder, or it may not be read.
Expected<std::vector<std::filesystem::path>> list_folder(const std::filesystem::path& folder);

// Makes a folder and those above it. Succeeds where it is there already, and for an empty path.
Status make_folders(const std::filesystem::path& folder);

// Makes the error of a path at which the system refused something: "PATH: WHAT (REASON)". Its kind
// is kUsage where another path would do (too long, not there, no permission), kFailure where the
// machine is at fault (a full disk, say).
tl::unexpected<Error> path_error(const std::filesystem::path& path, std::string_view what,
                                 std::error_code reason);
// The same for a value of errno.
tl::unexpected<Error> path_error(const std::filesystem::path& path, std::string_view what,
                                 int reason);

}  // namespace redqueen
