#include "redqueen/net/metrics.h"

#include <fmt/format.h>

#include "redqueen/base/format.h"

namespace redqueen::net {
namespace {

// Only one thread adds, so this needs no locked instruction.
template <typename T>
void add(std::atomic<T>& counter, T amount) {
  counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

void heading(std::string& out, std::string_view name, std::string_view type,
             std::string_view help) {
  append_format(out, "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

}  // namespace

void Counters::count(std::size_t route, int status, std::chrono::nanoseconds duration,
                     std::size_t bytes_in, std::size_t bytes_out) {
  OfRoute& of = routes_[route];
  add<std::uint64_t>(of.by_class[static_cast<std::size_t>(status / 100 % 6)], 1);
  const double seconds = std::chrono::duration<double>(duration).count();
  std::size_t bin = 0;
  while (bin < kDurationBounds.size() && seconds > kDurationBounds[bin]) ++bin;
  add<std::uint64_t>(of.durations[bin], 1);
  add<std::uint64_t>(of.nanoseconds, static_cast<std::uint64_t>(duration.count()));
  add<std::uint64_t>(bytes_in_, bytes_in);
  add<std::uint64_t>(bytes_out_, bytes_out);
}

std::string prometheus_text(const std::vector<std::string>& names,
                            const std::vector<const Counters*>& all) {
  std::string out;
  const auto sum = [&](auto member) {
    std::uint64_t total = 0;
    for (const Counters* counters : all) total += static_cast<std::uint64_t>(member(*counters));
    return total;
  };
  heading(out, "redqueen_http_requests_total", "counter", "Requests answered.");
  for (std::size_t route = 0; route < names.size(); ++route) {
    for (std::size_t status = 1; status <= 5; ++status) {
      const auto count = sum([&](const Counters& c) {
        return c.routes_[route].by_class[status].load(std::memory_order_relaxed);
      });
      if (count == 0) continue;
      append_format(out, "redqueen_http_requests_total{{route=\"{}\",status=\"{}xx\"}} {}\n",
                    names[route], status, count);
    }
  }
  heading(out, "redqueen_http_request_seconds", "histogram",
          "From the first byte of a request to the last of its answer.");
  for (std::size_t route = 0; route < names.size(); ++route) {
    std::string lines;
    std::uint64_t below = 0;
    for (std::size_t bin = 0; bin <= kDurationBounds.size(); ++bin) {
      below += sum([&](const Counters& c) {
        return c.routes_[route].durations[bin].load(std::memory_order_relaxed);
      });
      const std::string bound =
          bin < kDurationBounds.size() ? fmt::format("{}", kDurationBounds[bin]) : "+Inf";
      append_format(lines, "redqueen_http_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n",
                    names[route], bound, below);
    }
    if (below == 0) continue;
    const auto nanoseconds = sum([&](const Counters& c) {
      return c.routes_[route].nanoseconds.load(std::memory_order_relaxed);
    });
    out += lines;
    append_format(out,
                  "redqueen_http_request_seconds_sum{{route=\"{0}\"}} {1}\n"
                  "redqueen_http_request_seconds_count{{route=\"{0}\"}} {2}\n",
                  names[route], static_cast<double>(nanoseconds) * 1e-9, below);
  }
  const auto line = [&](std::string_view name, std::string_view type, std::string_view help,
                        std::uint64_t value) {
    out += prometheus_line(name, type, help, static_cast<double>(value));
  };
  line("redqueen_http_received_bytes_total", "counter", "Bytes of requests.",
       sum([](const Counters& c) { return c.bytes_in_.load(); }));
  line("redqueen_http_sent_bytes_total", "counter", "Bytes of answers.",
       sum([](const Counters& c) { return c.bytes_out_.load(); }));
  line("redqueen_connections", "gauge", "Connections open now.",
       sum([](const Counters& c) { return c.connections.load(); }));
  line("redqueen_websockets", "gauge", "WebSockets open now.",
       sum([](const Counters& c) { return c.sockets.load(); }));
  line("redqueen_websocket_messages_total", "counter", "Messages received from WebSockets.",
       sum([](const Counters& c) { return c.messages.load(); }));
  line("redqueen_refused_total", "counter", "Connections and requests refused for want of room.",
       sum([](const Counters& c) { return c.refused.load(); }));
  return out;
}

std::string prometheus_line(std::string_view name, std::string_view type, std::string_view help,
                            double value) {
  std::string out;
  heading(out, name, type, help);
  append_format(out, "{} {}\n", name, value);
  return out;
}

}  // namespace redqueen::net
