// One worker process as the host sees it: start, bytes in and out, end.
#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/cgroup.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox {

// The worker program: config.worker_path, $REDQUEEN_SANDBOX_WORKER, or beside the running binary or
// this library.
Expected<std::string> find_worker_program(const SandboxConfig& config);

class WorkerProcess {
 public:
  static Expected<WorkerProcess> start(const std::string& program, const SandboxConfig& config,
                                       std::uint64_t hash_seed, Runtime runtime);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();  // kills it with all its children, and waits for it

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool has_unsent() const { return !outbox_.empty(); }

  // Sends as much as the socket takes; the rest waits for flush(). False: the worker is gone.
  bool send(std::string bytes);
  bool flush();
  // Reads what is there, descriptors included. False: the worker is gone (what it sent before is in
  // the inbox).
  bool receive();
  // The next whole frame; kMalformed: not a worker's words. The payload is valid until drop() or
  // receive().
  wire::Split next(wire::Frame& frame) const;
  void drop(const wire::Frame& frame) { consumed_ += frame.size; }
  // The first descriptor that came and was not taken yet, now the caller's; −1: there is none.
  int take_descriptor();

 private:
  WorkerProcess(pid_t pid, int socket, CgroupLeaf cgroup);
  void end();
  ssize_t read_with_descriptors(char* chunk, std::size_t size);

  pid_t pid_ = -1;
  int socket_ = -1;
  CgroupLeaf cgroup_;
  std::string inbox_, outbox_;
  std::size_t consumed_ = 0;
  std::deque<int> descriptors_;  // in the order of the frames that they belong to
};

}  // namespace redqueen::sandbox
