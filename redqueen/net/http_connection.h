// Internal to this folder: a connection of HTTP/1.0 or 1.1, on which one request follows the other.
#pragma once

#include <string>

#include "redqueen/net/shard.h"

namespace redqueen::net {

// Serves a socket that was accepted, on the shard's thread, until the client or a limit of
// ServerOptions ends it, or it becomes a WebSocket. `peer`: the client's address, for handlers and
// the log.
void serve_http(Shard& shard, Socket socket, std::string peer);

// The same over TLS, whose handshake comes first.
void serve_http(Shard& shard, TlsSocket socket, std::string peer);

}  // namespace redqueen::net
