// The place in which an agent's program runs: a root of its own with the workspace and what the
// program needs, and nothing of the judge. bubblewrap makes it, out of a user, a mount and a
// process namespace.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

// Fails where this machine cannot isolate an agent, and says what is missing and how to go on.
Status check_isolation();

struct IsolatedProgram {
  std::vector<std::string> words;  // the program and its arguments
  std::filesystem::path run;       // of which it sees workspace/, and control/ where it is there
  // Further programs on PATH that it calls.
  std::vector<std::string> programs;
  std::vector<std::string> paths;       // that it may read besides
  std::vector<std::string> home_files;  // below HOME, that it gets copies of
};

// A command line of bubblewrap and what its descriptors read: the first of `files` is to be open as
// descriptor 3, the next as 4, and so on.
struct IsolationCommand {
  std::vector<std::string> words;
  std::vector<std::string> files;
};

// The program sees, each thing where it is outside: /usr and what of /etc name resolution,
// certificates and the loader read; the folders on PATH in which it and `programs` are found, and
// what links there lead to; files that its arguments name from the root on; `paths`; the workspace,
// which it may change. HOME and /tmp are empty and its own, and gone when it ends. The network is
// as it is outside.
//
// A usage error: one of `paths` is not there, or would show the run's other files.
Expected<IsolationCommand> isolation_command(const IsolatedProgram& program);

}  // namespace redqueen::arena
