// The server: HTTP/1.1 and WebSocket, with TLS where it has a certificate.
//
// A few threads serve all connections, each its own (the kernel deals them out: SO_REUSEPORT), so
// that they share no lock; work that takes long runs on worker threads. A client that sends slowly,
// reads slowly, sends too much or breaks the protocol is answered with a status where it can be,
// and disconnected; it never holds up others, and what it can make the server keep is bounded by
// ServerOptions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/net/router.h"

namespace redqueen::net {

// A request that was answered, for the log.
struct LogEntry {
  std::string_view peer;
  std::string_view id;
  std::string_view trace;  // W3C trace context (`traceparent`), as sent
  std::string_view method;
  std::string_view path;  // without the query, which may hold a token
  int status = 0;
  double seconds = 0;        // from the request's first byte to the answer's last
  std::size_t bytes_in = 0;  // of the body
  std::size_t bytes_out = 0;
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric, or "localhost"; "0.0.0.0" or "::" for all
  std::uint16_t port = 0;             // 0: a free one
  bool share_port = false;            // other processes may serve the same port
  int threads = 1;                    // that serve connections
  int workers = 0;                    // threads for long work; 0: one per core
  std::size_t most_waiting = 1024;    // long work beyond this is answered 503 with Retry-After

  // Tokens, sent as `Authorization: Bearer …`, `X-API-Key: …` or, with GET, `?token=…`. Without a
  // token only programs on this machine are served, unless `without_token` says otherwise.
  std::string token;
  std::string admin_token;     // besides; empty: whoever may ask is the administrator
  bool without_token = false;  // serve other machines without a token
  // Browsers: pages from elsewhere may not change anything here, nor open WebSockets. `origins` are
  // exceptions, e.g. "https://example.org". A server that listens on this machine alone answers to
  // its numeric addresses and localhost, and to the names in `hosts`.
  std::vector<std::string> origins;
  std::vector<std::string> hosts;
  std::string certificate_file;  // PEM, the chain; with key_file: TLS
  std::string key_file;          // PEM

  std::size_t max_header_bytes = std::size_t{64} << 10;
  std::size_t max_body_bytes = std::size_t{64} << 20;
  std::size_t max_message_bytes = std::size_t{16} << 20;  // of a WebSocket
  std::size_t max_connections = 20'000;

  double header_seconds = 10;        // from the first byte of a request to the end of its header
  double body_seconds = 60;          // from there to the end of its body
  double write_seconds = 60;         // for the client to take an answer, or a piece of a stream
  double idle_seconds = 75;          // between requests
  double socket_idle_seconds = 900;  // between messages of a WebSocket
  double grace_seconds = 10;         // for what is in flight when the server stops

  std::function<void(const LogEntry&)> log;    // called by several threads at once
  std::function<std::string()> more_metrics;   // lines for /metrics (metrics.h)
  std::function<std::string()> why_not_ready;  // for /readyz: "" when ready
};

// Serves until it is stopped. Besides the router's routes it has
//   GET /healthz, /livez   200 while the process lives
//   GET /readyz            503 with a reason while it should get no requests
//   GET /metrics           Prometheus
// where the router does not have them itself.
class Server {
 public:
  // Fails if the options contradict each other or the address cannot be had.
  static Expected<Server> start(Router router, ServerOptions options);
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();  // stops, and waits for every handler

  std::uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:8080"

  // Takes no more connections, ends what is idle, and finishes what is in flight for up to
  // grace_seconds. Returns true when all is ended, and false where a handler still runs a quarter
  // of a second after that: nothing can interrupt it, the destructor waits for it, and a process
  // that must end calls std::_Exit. From any thread but a handler's; once.
  bool stop();

 private:
  struct State;
  explicit Server(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace redqueen::net
