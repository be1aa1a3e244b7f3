// What a forked child does: shut itself in, wait for a job, run it, answer.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <vector>

namespace redqueen::worker {

// The descriptors of a child: three files in memory for stdin, stdout and stderr, and its socket to the worker.
struct ChildFiles {
  int in = -1;
  int out = -1;
  int err = -1;
  int control = -1;
};

// Runs in the child and never returns. `parent`: the worker's pid as the child sees it.
[[noreturn]] void run_child(const ChildFiles& files, const std::vector<sock_filter>& filter,
                            pid_t parent);

// In a child as well: what it does for the smallest job, and for most, without a system call that takes or gives memory of
// the heap.
void rehearse_small_job();
void rehearse_job();

}  // namespace redqueen::worker
