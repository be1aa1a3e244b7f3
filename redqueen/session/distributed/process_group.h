// Communicators over torch's own c10d: Gloo, and NCCL for gradients on GPUs where the build found
// its headers.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "redqueen/base/error.h"
#include "redqueen/train/communicator.h"

namespace redqueen {

struct ProcessGroupOptions {
  int rank = 0;
  int size = 1;
  // A file that is not there yet, the same for all processes: how they find one another. It is
  // removed with the group.
  std::filesystem::path rendezvous_file;
  std::chrono::seconds timeout{1800};  // how long a process waits for the others
  bool cuda = false;                   // gradients live on GPUs, one a process
};

// Waits for all processes.
Expected<std::shared_ptr<Communicator>> make_process_group(const ProcessGroupOptions& options);

}  // namespace redqueen
