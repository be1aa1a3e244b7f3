// Writes a folder so that a reader sees the old one or the new one, never a half.
#pragma once

#include <filesystem>
#include <functional>

#include "redqueen/base/error.h"

namespace redqueen {

// Calls write(FOLDER.partial), a fresh empty folder beside the target, brings its files to the disk
// and puts it in the target's place in one step. Killed at any point, the process leaves the target
// whole, old or new.
Status replace_folder(const std::filesystem::path& target,
                      const std::function<Status(const std::filesystem::path&)>& write);

}  // namespace redqueen
