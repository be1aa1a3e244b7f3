// The file system that a worker and its children see.
#pragma once

#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

// What Python needs at run time: the folder of its standard library, and the libraries that
// extension modules load. Only paths that exist.
std::string python_library_folder();
std::vector<std::string> shared_libraries();

// In a mount namespace of our own: makes a root of exactly those, read-only, and /dev/null, and
// enters it.
bool enter_private_root(const wire::Setup& setup, std::string& why);

// In the private root of a runtime that has files: where each child has a folder of its own, named
// by its slot.
inline constexpr const char* kWorkFolder = "/work";

// What of numpy there is, with absolute paths; none but in Runtime::kData.
std::vector<std::string> package_folders(const wire::Setup& setup);

}  // namespace redqueen::sandbox::worker
