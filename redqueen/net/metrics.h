// Counts a server's events and writes them for Prometheus (exposition format 0.0.4).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen::net {

// Upper bounds of the histogram of durations, in seconds.
inline constexpr std::array<double, 12> kDurationBounds{
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 10};

// One connection thread's counters. Only that thread adds; any thread reads.
class Counters {
 public:
  explicit Counters(std::size_t routes) : routes_(routes) {}

  // `route`: its index; the number of routes for requests that found none.
  void count(std::size_t route, int status, std::chrono::nanoseconds duration, std::size_t bytes_in,
             std::size_t bytes_out);

  std::atomic<std::int64_t> connections{0};  // open now
  std::atomic<std::int64_t> sockets{0};      // WebSockets open now
  std::atomic<std::uint64_t> messages{0};    // of WebSockets, received
  std::atomic<std::uint64_t> refused{0};     // for want of room

 private:
  friend std::string prometheus_text(const std::vector<std::string>& names,
                                     const std::vector<const Counters*>& all);
  struct OfRoute {
    std::array<std::atomic<std::uint64_t>, 6> by_class{};  // 1xx to 5xx, at 1 to 5
    std::array<std::atomic<std::uint64_t>, kDurationBounds.size() + 1> durations{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  std::vector<OfRoute> routes_;
  std::atomic<std::uint64_t> bytes_in_{0};
  std::atomic<std::uint64_t> bytes_out_{0};
};

// The sum of all counters. `names`: of the routes, and one for requests that found none.
std::string prometheus_text(const std::vector<std::string>& names,
                            const std::vector<const Counters*>& all);

// One line with its HELP and TYPE, for what others add. `type`: counter or gauge.
std::string prometheus_line(std::string_view name, std::string_view type, std::string_view help,
                            double value);

}  // namespace redqueen::net
