// The v0 protocol (protocol_v0.h) on a port of this machine.
#pragma once

#include <string>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/base/error.h"
#include "redqueen/net/server.h"

namespace redqueen::arena {

// Serves until it is destroyed; the judge must live longer. Listens on the loopback address only,
// at a free port unless one is given.
class V0Server {
 public:
  static Expected<V0Server> start(Judge& judge, bool numpy, std::uint16_t port = 0);
  [[nodiscard]] std::string url() const { return server_.url(); }

 private:
  explicit V0Server(net::Server server) : server_(std::move(server)) {}
  net::Server server_;
};

}  // namespace redqueen::arena
