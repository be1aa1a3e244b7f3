// Internal to this folder: the threads that serve connections, and what a connection is to them.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "redqueen/net/streams.h"  // first: see there

#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>

#include "redqueen/base/error.h"
#include "redqueen/base/format.h"
#include "redqueen/net/metrics.h"
#include "redqueen/net/router.h"
#include "redqueen/net/server.h"
#include "redqueen/net/worker_pool.h"

namespace redqueen::net {

// The state that all threads share. Only the pool and `draining` change after the start.
struct Shared {
  Shared(Router own_router, ServerOptions own_options)
      : router(std::move(own_router)), options(std::move(own_options)) {}

  Router router;
  const ServerOptions options;
  bool is_loopback = true;
  std::optional<asio::ssl::context> tls;
  std::unique_ptr<WorkerPool> pool;
  std::atomic<bool> draining{false};
};

class Connection;

// One thread with its connections. All is called on that thread, save listen() and port(), which go
// before it, and drain().
class Shard {
 public:
  // `shared` outlives it.
  Shard(Shared& shared, std::uint32_t id_prefix);

  Status listen(const tcp::endpoint& endpoint, bool share);
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  // Serves until it has drained.
  void run();
  // Takes no more connections, and ends run() when those that there are have ended, or after
  // ServerOptions::grace_seconds. From any thread.
  void drain();

  void enter(Connection* connection);
  void leave(Connection* connection);

  // An identifier of a request that no other request of this server has.
  std::string next_id() { return fmt::format("{:08x}-{:x}", id_prefix_, ++requests_); }
  const std::string& date() const { return date_; }  // for the header Date

  Shared& shared;
  Counters counters;

 private:
  void accept();
  void take(Socket socket);
  void sweep();

  std::list<Connection*> connections_;
  const std::uint32_t id_prefix_;
  std::uint64_t requests_ = 0;
  std::string date_;
  std::optional<Clock::time_point> drain_until_;

 public:
  asio::io_context io;  // goes before what its handlers refer to

 private:
  Acceptor acceptor_;
  Timer timer_;
};

// A connection of a shard. It owns itself: the handlers of its operations share it, and it goes
// with the last of them.
class Connection {
 public:
  explicit Connection(Shard& shard) : shard_(shard) { shard_.enter(this); }
  virtual ~Connection() { shard_.leave(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void tick(Clock::time_point now) = 0;  // ends it when its time is over
  virtual void drain() = 0;                      // ends it, after what is in flight
  virtual void abort() = 0;                      // ends it now

  std::list<Connection*>::iterator place;  // in its shard's list

 protected:
  const ServerOptions& options() const { return shard_.shared.options; }
  Shard& shard_;
};

// Runs `work` on a worker thread, then `done` with its result on the connection's own thread. False
// if too much work waits already: then neither runs.
template <typename Work, typename Done>
bool run_on_worker(Shard& shard, Work work, Done done) {
  return shard.shared.pool->submit([&io = shard.io, work = std::move(work),
                                    done = std::make_shared<Done>(std::move(done))]() mutable {
    auto result = std::make_shared<decltype(work())>(work());
    asio::post(
        io, [result = std::move(result), done = std::move(done)] { (*done)(std::move(*result)); });
  });
}

}  // namespace redqueen::net
