// Landlock (Linux 5.13): an access-control list that a process puts on itself and that its children inherit.
#pragma once

#include <string>

namespace redqueen::worker {

// Leaves read access to the Python library and nothing else: no other file, no TCP (Linux 6.7), no signal or abstract
// socket to the outside (6.12). `detail` says which of these the kernel gave, or why it gave none.
bool restrict_with_landlock(std::string& detail);

}  // namespace redqueen::worker
