// libFuzzer target: what a client may send on a connection, to a server of this process. Build with
// -DREDQUEEN_FUZZ=ON and Clang:
//   build-asan-ubsan/net_connection_fuzz -max_len=4096 -max_total_time=60
// Whatever comes, the server answers or closes, and goes on. A first byte of 1 sends the rest as
// the body of a good request, 2 as bytes on a WebSocket.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "redqueen/net/server.h"
#include "redqueen/net/testing/raw_client.h"

namespace {

using namespace redqueen;
using namespace redqueen::net;

class Echo final : public SocketSession {
 public:
  Answer on_message(std::string_view message, bool is_binary) override {
    if (is_binary) return SocketAnswer{.texts = {}, .close = 1003};
    return SocketAnswer{.texts = {std::string(message)}, .close = std::nullopt};
  }
};

// Everything that a handler may ask of a request is asked.
Answer look(const Request& request) {
  std::string seen(request.body);
  for (const Header& header : request.headers) seen += header.value;
  seen += request.cookie("a");
  seen += request.query_value("a").value_or("");
  for (const PathPart& part : request.parts) seen += part.value;
  return Response{.body = seen, .headers = {{"X-Seen", seen.substr(0, 64)}}};
}

const Server& server() {
  static const Server started = [] {
    Router router;
    router.add(Method::kPost, "/body", look);
    router.add(Method::kGet, "/{name}/at/{rest...}", look);
    router.add_socket("/ws", [](const Request&) { return std::make_unique<Echo>(); });
    auto server = Server::start(std::move(router), {.token = "t",
                                                    .max_header_bytes = 2048,
                                                    .max_body_bytes = 4096,
                                                    .max_message_bytes = 2048,
                                                    .header_seconds = 0.5,
                                                    .body_seconds = 0.5});
    if (!server) std::abort();
    return std::move(*server);
  }();
  return started;
}

void send_and_drain(RawClient& client, std::string_view bytes) {
  client.send(bytes);
  client.end();
  while (!client.read_some().empty()) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  RawClient client(server().port());
  const char kind = bytes.empty() ? '\0' : bytes[0];
  if (kind == 1 || kind == 2) bytes.remove_prefix(1);
  if (kind == 1) {
    client.send(
        "POST /body?token=t HTTP/1.1\r\nHost: localhost\r\nX-API-Key: t\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
  } else if (kind == 2) {
    if (client.upgrade("/ws?token=t") != 101) std::abort();
  }
  send_and_drain(client, bytes);
  thread_local int count = 0;
  if (++count % 64 == 0 && get(server().port(), "/healthz").status != 200) std::abort();
  return 0;
}
