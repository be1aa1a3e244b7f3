// HTTP as plain values: the request that a handler is given, and its answer. Nothing here knows
// sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::net {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions, kOther };
std::string_view to_string(Method method);

// A header of a request, as sent.
struct Header {
  std::string_view name;
  std::string_view value;
};

// A part of the path that a route's pattern names, percent-decoded.
struct PathPart {
  std::string_view name;
  std::string value;
};

// A request as its handler sees it. The views live until the answer is given, that of a Later
// included; who keeps anything longer copies it.
struct Request {
  // Bytes behind `body` that vectorised parsers may read.
  static constexpr std::size_t kBodyPadding = 64;

  Method method = Method::kGet;
  std::string_view path;   // as sent: begins with "/", percent-encoded
  std::string_view query;  // as sent, without the "?"
  std::span<const Header> headers = {};
  std::string_view body = {};
  std::string_view id = {};    // of this request, for logs and for the answer's X-Request-Id
  std::string_view peer = {};  // the client's address
  bool is_admin = true;        // may see what policies must not: see ServerOptions::admin_token
  std::vector<PathPart> parts = {};

  // The value of a header, whatever the case of its name; "" if there is none.
  std::string_view header(std::string_view name) const;
  std::string_view cookie(std::string_view name) const;
  // A named part of the path; "" if the pattern has none of this name.
  std::string_view part(std::string_view name) const;
  // A value of the query, percent-decoded.
  std::optional<std::string> query_value(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Work that may take longer than a request may hold up others; it runs on a worker thread.
using Later = std::function<Response()>;

// An answer that is sent as it comes into being: server-sent events, or pages of many rows.
struct Stream {
  std::string content_type = "text/event-stream";
  std::vector<std::pair<std::string, std::string>> headers = {};
  // The next piece; called on a worker thread, never twice at once, and only when the client has
  // taken the piece before. "": nothing yet, ask again after `interval`; nullopt: the end.
  std::function<std::optional<std::string>()> next;
  std::chrono::milliseconds interval{250};
};

using Answer = std::variant<Response, Later, Stream>;

// Called on a thread of the server's sockets, by several at once: what takes more than about a
// millisecond goes into a Later.
using Handler = std::function<Answer(const Request&)>;

// The handler that does all of its work on a worker thread.
template <typename Work>
Handler on_worker(Work work) {
  return [work = std::move(work)](const Request& request) -> Answer {
    return Later([work, &request] { return work(request); });
  };
}

// A WebSocket's answer to a message.
struct SocketAnswer {
  std::vector<std::string> texts;      // sent as text messages, in order
  std::optional<std::uint16_t> close;  // then closes with this code (RFC 6455, section 7.4.1)
};

// The server's side of one WebSocket; it ends with its connection. Messages come one at a time:
// the next one waits until this one's answer is given.
class SocketSession {
 public:
  virtual ~SocketSession() = default;
  using Answer = std::variant<SocketAnswer, std::function<SocketAnswer()>>;
  // `message` lives until the answer is given. A function is run on a worker thread.
  virtual Answer on_message(std::string_view message, bool is_binary) = 0;
};

// Starts a session, or refuses the upgrade with a response.
using SocketHandler =
    std::function<std::variant<std::unique_ptr<SocketSession>, Response>(const Request&)>;

Response json_response(const Json& body, int status = 200);

// {"detail": …}, the form in which most clients of such servers look for a reason.
Response error_response(int status, std::string_view detail);

// The status of an error: 422 for what the client can mend, 500 for work that failed.
Response error_response(const Error& error);

// "OK", "Not Found"; "" for a status without a name here.
std::string_view reason_of(int status);

// The bytes that %XX stand for; nullopt where two hexadecimal digits do not follow a %. In a query
// + stands for a space.
std::optional<std::string> percent_decode(std::string_view text, bool is_query = false);

}  // namespace redqueen::net
