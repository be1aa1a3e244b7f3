// Shuts a worker in, before it starts Python and before it sees any program.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

// In the broker: `inner`, `orders` and `oom_events`. In the inner process: all but `inner`.
struct Isolation {
  pid_t inner = 0;      // the process that will be the warm parent; 0: we are it
  int orders = -1;      // the socket between the two
  int oom_events = -1;  // memory.events of the worker's cgroup; −1: none
  std::vector<LayerState> layers;
  bool private_root = false;
  bool landlock = false;
  bool files_closed = false;  // host files are out of reach: private root or Landlock
  int memory_size_fd = -1;    // its /proc/self/statm; −1: unknown
  int maps_fd = -1;           // its /proc/self/maps
};

// Applies every layer that `setup` wants and the kernel gives, in this order: namespaces, private
// root, unprivileged uid, no capabilities, Landlock. Forks, and returns twice: in the broker, which
// stays outside the PID namespace and has lost its privileges, and in the process inside.
Isolation isolate(const wire::Setup& setup);

}  // namespace redqueen::sandbox::worker
