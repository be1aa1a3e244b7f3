// The list of system calls that a child may make.
#pragma once

#include <linux/filter.h>

#include <optional>
#include <string>
#include <vector>

namespace redqueen::sandbox::worker {

struct FilterOptions {
  bool allow_open = false;
  bool private_root = false;
  bool files_and_threads = false;  // a folder to write in, and threads
};

// Builds a program's filter: it allows the calls that Python needs to compute and to import, and
// opening files for reading only (allow_open false: not at all); calls that only an attack makes
// kill the process (SIGSYS); every other fails with EPERM, clone3 with ENOSYS. Without a private
// root, links and the working folder cannot be read. Put on once, by the warm parent
// (sealed_calls.h), and inherited.
std::optional<std::vector<sock_filter>> build_filter(const FilterOptions& options,
                                                     std::string& why);
// For the broker: descriptors that it has or gets, memory, `files` of children, and no more.
std::optional<std::vector<sock_filter>> build_broker_filter(bool files, std::string& why);

// For this process and all that it will be; there is no way back. Needs no_new_privs.
bool install_filter(const std::vector<sock_filter>& filter);

}  // namespace redqueen::sandbox::worker
