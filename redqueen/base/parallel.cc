#include "redqueen/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace redqueen {

void parallel_chunks(std::size_t count, std::size_t grain, int threads,
                     const std::function<void(std::size_t first, std::size_t last)>& work) {
  const std::size_t pieces = (count + grain - 1) / grain;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr fault;  // the first one; guarded by mutex
  const auto run = [&] {
    for (std::size_t piece = next++; piece < pieces; piece = next++) {
      try {
        work(piece * grain, std::min(count, (piece + 1) * grain));
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!fault) fault = std::current_exception();
        next = pieces;
      }
    }
  };
  const std::size_t wanted = threads > 0 ? static_cast<std::size_t>(threads)
                                         : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < std::min(wanted, pieces); ++i) helpers.emplace_back(run);
  run();
  helpers.clear();  // waits for all
  if (fault) std::rethrow_exception(fault);
}

}  // namespace redqueen
