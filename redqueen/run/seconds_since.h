// Wall time for what people read: progress, logs, costs. No result depends on it.
#pragma once

#include <chrono>

namespace redqueen::run {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace redqueen::run
