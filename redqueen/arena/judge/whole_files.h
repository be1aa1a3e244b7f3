// Writes files that appear whole or not at all, whatever ends the process in between.
#pragma once

#include <filesystem>
#include <string_view>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// Writes beside the file's place, makes it safe on the disk, and renames.
Status write_whole(const std::filesystem::path& path, std::string_view bytes);

// Makes a folder's entries survive a loss of power.
Status sync_folder(const std::filesystem::path& folder);

// Renames a folder that was filled beside its place. Fails if there is one already.
Status move_into_place(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace redqueen::arena
