// Threads for work that must not hold up sockets, behind a queue of bounded length.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace redqueen::net {

// May be called from any thread.
class WorkerPool {
 public:
  // `threads` ≥ 1; at most `most_waiting` tasks wait for a free one.
  WorkerPool(int threads, std::size_t most_waiting);
  // Runs what waits, then ends.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False if too many wait already: the task is not taken. Tasks do not throw.
  [[nodiscard]] bool submit(std::function<void()> task);

  std::size_t waiting() const;

  // Drops what waits, takes nothing more, and gives what runs until then to end. False if it has
  // not ended; whoever cannot wait for it must end the process without running destructors.
  [[nodiscard]] bool stop(std::chrono::steady_clock::time_point until);

 private:
  void work();

  const std::size_t most_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  int busy_ = 0;  // threads with a task
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace redqueen::net
