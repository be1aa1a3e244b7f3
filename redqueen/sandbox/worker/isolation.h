// Shuts a worker in, before it starts Python and before it sees any program.
#pragma once

#include <string>
#include <vector>

#include "redqueen/sandbox/wire.h"

namespace redqueen::worker {

struct Isolation {
  std::vector<LayerState> layers;
  bool files_closed = false;  // host files are out of reach: private root or Landlock
  int memory_size_fd = -1;
  int maps_fd =
      -1;  // its /proc/self/maps    // /proc/self/statm of the process that goes on; −1: unknown
};

// Applies every layer that `setup` wants and the kernel gives, in this order: namespaces, private root, unprivileged
// uid, no capabilities, Landlock. Forks where there is a PID namespace: the first process then only waits, dies with
// the second or with `host` (the socket), and never returns; the second returns.
Isolation isolate(const wire::Setup& setup, int host);

}  // namespace redqueen::worker
