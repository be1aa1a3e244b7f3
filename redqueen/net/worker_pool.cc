#include "redqueen/net/worker_pool.h"

#include <utility>

namespace redqueen::net {

WorkerPool::WorkerPool(int threads, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::submit(std::function<void()> task) {
  {
    const std::scoped_lock lock(mutex_);
    if (ending_ || tasks_.size() >= most_waiting_) return false;
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
  return true;
}

std::size_t WorkerPool::waiting() const {
  const std::scoped_lock lock(mutex_);
  return tasks_.size();
}

bool WorkerPool::stop(std::chrono::steady_clock::time_point until) {
  std::deque<std::function<void()>> dropped;  // destroyed without the lock
  std::unique_lock lock(mutex_);
  ending_ = true;
  dropped.swap(tasks_);
  changed_.notify_all();
  const bool ended = changed_.wait_until(lock, until, [this] { return busy_ == 0; });
  lock.unlock();
  return ended;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    ++busy_;
    lock.unlock();
    task();
    task = nullptr;  // what it holds is let go of without the lock
    lock.lock();
    if (--busy_ == 0 && ending_) changed_.notify_all();
  }
}

}  // namespace redqueen::net
