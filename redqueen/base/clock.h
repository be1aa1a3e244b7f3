// Wall time for limits, progress, logs and costs. No result of training or scoring depends on it.
#pragma once

#include <chrono>

namespace redqueen {

// Returns the seconds that have passed since `start`.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Converts seconds to the steady clock's unit. Negative values and NaN become 0, and values above
// 1e7 s (115 days) become that, so that the result can be added to any time point of a run.
inline std::chrono::steady_clock::duration duration_of(double seconds) {
  constexpr double kLongest = 1e7;
  if (!(seconds > 0)) return {};
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds < kLongest ? seconds : kLongest));
}

// Returns the seconds since 1970.
inline double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace redqueen
