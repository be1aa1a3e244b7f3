// The file system that a worker and its children see.
#pragma once

#include <string>
#include <vector>

namespace redqueen::worker {

// What Python needs at run time: the folder of its standard library, and the libraries that extension modules load.
// Only paths that exist.
std::string python_library_folder();
std::vector<std::string> shared_libraries();

// In a mount namespace of our own: makes a root of exactly those, read-only, and /dev/null, and enters it.
bool enter_private_root(std::string& why);

}  // namespace redqueen::worker
