// Reads the clock that dates what a run records. No result depends on it.
#pragma once

#include <chrono>

namespace redqueen::run {

// Seconds since 1970.
inline double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace redqueen::run
