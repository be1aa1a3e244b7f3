// Internal to this folder: a connection that has become a WebSocket.
#pragma once

#include <memory>
#include <string>

#include "redqueen/net/shard.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>

namespace redqueen::net {

using UpgradeRequest = beast::http::request<beast::http::empty_body>;

// Answers an upgrade whose headers are in order, with `id` as X-Request-Id, and serves the session
// on the shard's thread until one side closes. `request` need not live on.
void serve_websocket(Shard& shard, Socket socket, std::unique_ptr<SocketSession> session,
                     const UpgradeRequest& request, std::string id);
void serve_websocket(Shard& shard, TlsSocket socket, std::unique_ptr<SocketSession> session,
                     const UpgradeRequest& request, std::string id);

}  // namespace redqueen::net
