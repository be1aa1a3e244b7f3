// Tells which Python the sandbox runs.
#pragma once

#include <string_view>

namespace redqueen::sandbox {

// Returns the version of Python that programs run in, as "3.11": that of the system that built this.
std::string_view python_version();

}  // namespace redqueen::sandbox
