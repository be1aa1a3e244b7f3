// Landlock (Linux 5.13): an access-control list that a process puts on itself and that its children
// inherit.
#pragma once

#include <string>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

// Leaves read access to the Python library and nothing else: no other file, no TCP (Linux 6.7), no
// signal or abstract socket to the outside (6.12). `detail` says which of these the kernel gave, or
// why it gave none.
bool restrict_with_landlock(const wire::Setup& setup, std::string& detail);

// In a child of a runtime that has files: leaves it the library and this folder, which is its own.
bool restrict_to_work_folder(const char* folder, const wire::Setup& setup);

}  // namespace redqueen::sandbox::worker
