// Limits for calls on a socket.
#pragma once

#include <sys/time.h>

#include <algorithm>
#include <cmath>

namespace redqueen::arena {

// Returns seconds that a socket can wait: 0 would be no limit, and the kernel takes no infinity.
inline double bounded_seconds(double seconds) { return std::clamp(seconds, 0.001, 1e6); }

// Returns the value of SO_RCVTIMEO and SO_SNDTIMEO for bounded_seconds.
inline timeval socket_limit(double seconds) {
  const double bounded = bounded_seconds(seconds);
  timeval limit{};
  limit.tv_sec = static_cast<time_t>(bounded);
  limit.tv_usec = static_cast<suseconds_t>((bounded - std::floor(bounded)) * 1e6);
  return limit;
}

}  // namespace redqueen::arena
