// The folder of a run that is the judge's own: its cases, its ledger, its secrets.
#pragma once

#include <filesystem>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// Closes the folder to all other users. Where this process is root and may do so, the folder
// becomes the property of a user that nobody is: then not even a program of root's reads it, unless
// it has root's capabilities. Otherwise every program of the same user can read it. Fails where the
// folder's permissions cannot be set.
Status shut_judge_folder(const std::filesystem::path& folder);

// True if programs of this user that have no capabilities are kept out of the folder.
bool is_shut_to_this_user(const std::filesystem::path& folder);

}  // namespace redqueen::arena
