// The list of system calls that a child may make.
#pragma once

#include <linux/filter.h>

#include <optional>
#include <string>
#include <vector>

namespace redqueen::worker {

// The filter in two parts, both compiled once: what they let through together is what a child may do. The large part is
// put on by the warm parent and inherited; installing it (the kernel compiles it each time) would cost each child a
// tenth of a millisecond. It leaves open what the parent itself needs, and each child closes that with the small part.
struct Filters {
  std::vector<sock_filter> inherited, own;
};

// What Python needs to compute and to import is allowed, files can be opened for reading only (`allow_open` false: not
// at all); calls that only an attack makes kill the process (SIGSYS); every other fails with EPERM, clone3 with ENOSYS.
std::optional<Filters> build_filters(bool allow_open, std::string& why);

// For this process and all that it will be; there is no way back. Needs no_new_privs.
bool install_filter(const std::vector<sock_filter>& filter);

}  // namespace redqueen::worker
