// Checks the folder from which a served policy is to take other weights.
#pragma once

#include <filesystem>

#include "redqueen/base/error.h"

namespace redqueen::serve {

// `asked` without links and dots, if that is `root` or lies below it; an error that names `root`
// otherwise, which tells nothing of what is elsewhere.
Expected<std::filesystem::path> folder_within(const std::filesystem::path& root,
                                              const std::filesystem::path& asked);

}  // namespace redqueen::serve
