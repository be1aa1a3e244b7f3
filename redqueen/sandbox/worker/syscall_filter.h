// The list of system calls that a child may make.
#pragma once

#include <linux/filter.h>

#include <optional>
#include <string>
#include <vector>

namespace redqueen::worker {

// Compiled once by the worker. What Python needs to compute and to import is allowed, files can be opened for reading
// only (`allow_open` false: not at all); calls that only an attack makes kill the process (SIGSYS); every other fails
// with EPERM, clone3 with ENOSYS.
std::optional<std::vector<sock_filter>> build_filter(bool allow_open, std::string& why);

// For this process and all that it will be; there is no way back. Needs no_new_privs.
bool install_filter(const std::vector<sock_filter>& filter);

}  // namespace redqueen::worker
