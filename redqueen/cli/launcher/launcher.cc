// redqueen, the command: starts the program without libtorch for the commands that never need it,
// the whole program for all others. Both lie beside it. Loading libtorch takes 0.3 s of CPU, thirty
// times what the rest of a start does. What libtorch's threads read when it is loaded is set here.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "redqueen/cli/command_list.h"

namespace {

// Whether the program without libtorch has all that this command needs.
bool is_light(std::string_view command) {
  constexpr bool light = true;
  constexpr bool whole = false;
#define REDQUEEN_IS_LIGHT(name, program) \
  if (command == #name) return program;
  REDQUEEN_COMMANDS(REDQUEEN_IS_LIGHT)
#undef REDQUEEN_IS_LIGHT
  return whole;
}

// The command among the words of the command line: what follows the options of the root. Empty for
// those that print something and end.
std::string_view command_of(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with('-')) return word;
    if (word == "--configs") ++i;
  }
  return {};
}

std::string own_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view whole(path.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/') + 1));
}

// OpenMP's threads wait by asking again and again, for twenty milliseconds. Beside one busy process
// each spends the time that the other needs, and steps become many times slower; this is a seventh
// of a millisecond at most, longer than most waits between two products. It must be said before the
// library is loaded. What the user has said stands.
void let_threads_sleep() {
  constexpr int kKeep = 0;
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) setenv("GOMP_SPINCOUNT", "2000", kKeep);
}

}  // namespace

int main(int argc, char** argv) {
  const bool light = is_light(command_of(argc, argv));
  const std::string program =
      own_folder() + (light ? "redqueen-torch-free" : "redqueen-with-torch");
  if (!light) let_threads_sleep();
  execv(program.c_str(), argv);
  std::fprintf(stderr,
               "redqueen: %s cannot be started: %s; it belongs beside the program redqueen\n",
               program.c_str(), std::strerror(errno));
  return 1;
}
