#include "redqueen/net/shard.h"

#include <sys/socket.h>

#include <algorithm>

#include "redqueen/base/clock.h"
#include "redqueen/net/http_connection.h"
#include "redqueen/net/response_head.h"

namespace redqueen::net {
namespace {

constexpr auto kSweep = std::chrono::milliseconds(250);

}  // namespace

Shard::Shard(Shared& shared, std::uint32_t id_prefix)
    : shared(shared),
      counters(shared.router.routes().size() + 1),
      id_prefix_(id_prefix),
      date_(http_date()),
      io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      acceptor_(io),
      timer_(io) {}

void Shard::run() {
  accept();
  sweep();
  io.run();
}

Status Shard::listen(const tcp::endpoint& endpoint, bool share) {
  ErrorCode error;
  const auto check = [&](std::string_view step) -> Status {
    if (!error) return {};
    return failure("{}:{}: cannot be served: {} ({})", endpoint.address().to_string(),
                   endpoint.port(), error.message(), step);
  };
  acceptor_.open(endpoint.protocol(), error);
  RETURN_IF_ERROR(check("socket"));
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  RETURN_IF_ERROR(check("SO_REUSEADDR"));
  if (share) {
    const int one = 1;
    if (setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) != 0)
      return failure("SO_REUSEPORT is not to be had: serve with one thread");
  }
  acceptor_.bind(endpoint, error);
  RETURN_IF_ERROR(check("bind"));
  acceptor_.listen(4096, error);
  return check("listen");
}

void Shard::accept() {
  acceptor_.async_accept([this](const ErrorCode& error, Socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      take(std::move(socket));
      return accept();
    }
    // No file descriptors, most likely: they come back when connections end.
    auto timer = std::make_shared<Timer>(io, kSweep);
    timer->async_wait([this, timer](const ErrorCode&) {
      if (acceptor_.is_open()) accept();
    });
  });
}

void Shard::take(Socket socket) {
  ErrorCode error;
  socket.set_option(tcp::no_delay(true), error);
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  const auto& options = shared.options;
  const std::size_t share =
      std::max<std::size_t>(options.max_connections / static_cast<std::size_t>(options.threads), 1);
  if (connections_.size() >= share) {
    ++counters.refused;
    static constexpr std::string_view kFull =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n";
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer(kFull.data(), kFull.size()), error);
    return;
  }
  std::string peer = remote.address().to_string();
  if (shared.tls) {
    serve_http(*this, TlsSocket(std::move(socket), *shared.tls), std::move(peer));
  } else {
    serve_http(*this, std::move(socket), std::move(peer));
  }
}

void Shard::enter(Connection* connection) {
  connection->place = connections_.insert(connections_.end(), connection);
}
void Shard::leave(Connection* connection) { connections_.erase(connection->place); }

void Shard::drain() {
  asio::post(io, [this] {
    ErrorCode ignored;
    acceptor_.close(ignored);
    drain_until_ = Clock::now() + duration_of(shared.options.grace_seconds);
    for (auto next = connections_.begin(); next != connections_.end();) (*next++)->drain();
    timer_.cancel();  // sweeps at once
  });
}

void Shard::sweep() {
  date_ = http_date();
  const auto now = Clock::now();
  if (drain_until_ && (connections_.empty() || now > *drain_until_)) return io.stop();
  for (auto next = connections_.begin(); next != connections_.end();) (*next++)->tick(now);
  timer_.expires_after(drain_until_ ? std::chrono::milliseconds(10) : kSweep);
  timer_.async_wait([this](const ErrorCode&) { sweep(); });
}

}  // namespace redqueen::net
