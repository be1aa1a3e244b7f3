// Reads files as texts.
#pragma once

#include <filesystem>
#include <string>

#include "redqueen/base/error.h"

namespace redqueen {

// The bytes of a file. Fails with the path and the reason: it is not there, it is a folder, it may
// not be read. `kind` is that of the error: kUsage for a file that the user named.
Expected<std::string> read_text_file(const std::filesystem::path& path,
                                     ErrorKind kind = ErrorKind::kFailure);

}  // namespace redqueen
