// The v0 protocol (protocol_v0.h) on a port of this machine.
#pragma once

#include <string>

#include "redqueen/arena/judge/judge.h"
#include "redqueen/arena/protocols/protocol_v0.h"
#include "redqueen/base/error.h"
#include "redqueen/net/server.h"

namespace redqueen::arena {

// Serves until it is destroyed; the judge must live longer. Listens on the loopback address only,
// at a free port unless one is given.
//
// Any program on this machine may get the info and the task. POST /submit spends the budget and
// takes the token of this server, new with each: `Authorization: Bearer TOKEN`, or `?token=TOKEN`
// in the address. Without it the answer is 401, and nothing is charged.
class V0Server {
 public:
  static Expected<V0Server> start(Judge& judge, bool numpy, std::uint16_t port = 0);
  [[nodiscard]] V0Address address() const { return {.url = server_.url(), .token = token_}; }

 private:
  V0Server(net::Server server, std::string token)
      : server_(std::move(server)), token_(std::move(token)) {}
  net::Server server_;
  std::string token_;
};

}  // namespace redqueen::arena
