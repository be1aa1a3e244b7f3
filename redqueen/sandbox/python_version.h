// Tells which Python the sandbox runs.
#pragma once

#include <string_view>

namespace redqueen::sandbox {

// Returns the version of Python that programs run in, such as "3.11.7": the one that the build
// found.
std::string_view python_version();

}  // namespace redqueen::sandbox
