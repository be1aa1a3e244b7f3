// A forked child: it shuts itself in, waits for a job, runs it and answers.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "redqueen/sandbox/wire.h"
#include "redqueen/sandbox/worker/orders.h"

namespace redqueen::sandbox::worker {

// The options that all children of a worker share; made before the first.
struct ChildOptions {
  const wire::Setup* setup = nullptr;
  std::uint64_t memory_base = 0;  // bytes of address space that no job's limit counts
};

// Runs in the child and never returns. `parent`: the warm parent's pid as the child sees it.
[[noreturn]] void run_child(const ChildFiles& files, std::uint32_t slot, pid_t parent,
                            const ChildOptions& options);

// In a child as well: what it does for the smallest job, and for most, without a system call that
// takes or gives memory of the heap.
void rehearse_small_job();
void rehearse_job();

}  // namespace redqueen::sandbox::worker
