// The file system that a worker and its children see.
#pragma once

#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

// Finds the standard library: beside the worker's program, in a folder that has the name of the
// system's, as the Python package brings it along, else that of the system. To be called at the
// start, in the folder of the program.
void find_python_library();

// The paths that Python needs at run time: the folder of its standard library, and the libraries
// that extension modules load. Only paths that exist. In the private root the library lies where
// that of the system does, so that no program learns where it came from.
std::string python_library_folder();
std::vector<std::string> shared_libraries();

// The folders that Python needs: its library and, in Runtime::kData, those of numpy, detached from
// where they lie. Empty where the caller may not mount. Root calls it before it becomes nobody, who
// may not reach a folder below /root; everyone else calls it in a private mount namespace.
struct DetachedFolder {
  std::string target;  // path in the private root
  int tree;
};
std::vector<DetachedFolder> detach_folders(const wire::Setup& setup);

// In a private mount namespace: makes a root of exactly those, read-only, and /dev/null, and enters
// it. Closes the trees of `folders`.
bool enter_private_root(const wire::Setup& setup, const std::vector<DetachedFolder>& folders,
                        std::string& why);

// The folder, in the private root of a runtime that has files, where each child has a folder named
// by its slot.
inline constexpr const char* kWorkFolder = "/work";

// The folder, in the private root of Runtime::kData, that holds numpy and nothing else.
inline constexpr const char* kPackagesFolder = "/packages";
bool has_packages();

}  // namespace redqueen::sandbox::worker
