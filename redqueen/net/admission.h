// Internal to this folder: decides from a request's header whether it is served, and by which
// route. Nothing here knows sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/net/http.h"
#include "redqueen/net/router.h"
#include "redqueen/net/server.h"

namespace redqueen::net {

// The facts about a request that are known before its body is read.
struct Admission {
  std::optional<Response> refusal;  // with which it is answered; else there is a route
  const Route* route = nullptr;
  bool is_upgrade = false;    // to a WebSocket
  bool is_malformed = false;  // and refused: what follows on the connection cannot be relied on
};

// Looks at the form of the request, where it comes from, its route, and its token, in this order.
// Sets its path, query, parts and is_admin; method and headers are given. `target`: as sent, must
// live as long as the request. `version`: of HTTP, 10 or 11. `asks_upgrade`: the header Connection
// says so. `is_loopback`: the server listens on this machine alone.
Admission admit(std::string_view target, int version, bool asks_upgrade, bool is_loopback,
                const Router& router, const ServerOptions& options, Request& request);

// Refuses an upgrade to a WebSocket whose headers are not those of version 13.
std::optional<Response> check_upgrade(const Request& request);

// The request's X-Request-Id where it can go to logs and headers as it is; "" if not.
std::string_view given_id(const Request& request);

// The value with control characters replaced by spaces, so that it cannot begin another header.
std::string one_line(std::string_view value);

}  // namespace redqueen::net
