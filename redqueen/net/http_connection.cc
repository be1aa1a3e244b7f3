#include "redqueen/net/http_connection.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include "redqueen/base/ascii.h"
#include "redqueen/base/clock.h"
#include "redqueen/base/format.h"
#include "redqueen/net/admission.h"
#include "redqueen/net/body_coding.h"
#include "redqueen/net/request_parser.h"
#include "redqueen/net/response_head.h"
#include "redqueen/net/websocket_connection.h"

namespace redqueen::net {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kBodyReadBytes = std::size_t{32} << 10;
constexpr std::size_t kReservedBytes = std::size_t{64} << 10;  // for a body that is announced
constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{4} << 20;
constexpr auto kHeartbeat = std::chrono::seconds(15);

std::string_view view_of(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.cdata().data()), buffer.size()};
}

// What `work` returns; where it throws, a response that says so.
template <typename Work>
auto guarded(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return error_response(500, fmt::format("this is a fault of redqueen itself: {}", error.what()));
  }
}

template <typename Stream>
class HttpConnection final : public Connection,
                             public std::enable_shared_from_this<HttpConnection<Stream>> {
  static constexpr bool kIsTls = !std::is_same_v<Stream, Socket>;

 public:
  HttpConnection(Shard& shard, Stream stream, std::string peer)
      : Connection(shard),
        stream_(std::move(stream)),
        buffer_(options().max_header_bytes + 4 * kReadBytes),
        timer_(shard.io),
        peer_(std::move(peer)) {
    text_.body.max_size(options().max_body_bytes + Request::kBodyPadding);
    ++shard_.counters.connections;
  }
  ~HttpConnection() override { --shard_.counters.connections; }

  void start() {
    until_ = Clock::now() + duration_of(options().header_seconds);
    if constexpr (kIsTls) {
      phase_ = Phase::kClosing;  // until there is a connection on which to say anything
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = this->shared_from_this()](const ErrorCode& error) {
                                if (!error) self->next_request();
                              });
    } else {
      next_request();
    }
  }

  void tick(Clock::time_point now) override {
    if (now < until_) return;
    if (phase_ == Phase::kReceiving && !kIsTls) {  // a TLS stream cannot read and close at once
      refuse(408, "the request did not arrive in time");
    } else {
      abort();
    }
  }
  void drain() override {
    is_draining_ = true;
    if (phase_ == Phase::kIdle) abort();
  }
  void abort() override {
    phase_ = Phase::kClosing;
    ErrorCode ignored;
    timer_.cancel();
    stream_.lowest_layer().close(ignored);
  }

 private:
  enum class Phase {
    kIdle,       // between requests
    kReceiving,  // a request has begun
    kWorking,    // its handler is at work
    kSending,    // its answer is on the way
    kClosing,
  };

  void next_request() {
    if (is_draining_) return finish();
    text_.clear();
    std::string().swap(unpacked_);
    parser_.emplace(text_, options());
    checked_ = false;
    phase_ = Phase::kIdle;
    until_ = Clock::now() + duration_of(options().idle_seconds);
    if (has_begun()) {
      begin();
      parse();
    } else {
      read();
    }
  }
  // Whether a request has begun to arrive. Empty lines before it are passed over (RFC 9112, section
  // 2.2), and do not prolong the wait.
  bool has_begun() {
    while (buffer_.size() >= 2 && view_of(buffer_).starts_with("\r\n")) buffer_.consume(2);
    return buffer_.size() > 0;
  }
  void begin() {
    began_ = Clock::now();
    phase_ = Phase::kReceiving;
    until_ = began_ + duration_of(options().header_seconds);
  }
  void read() {
    // Chunk headers and trailers without end fill the buffer too.
    if (buffer_.size() + kReadBytes > buffer_.max_size()) return refuse(400, "malformed request");
    const std::size_t wanted = checked_ ? kBodyReadBytes : kReadBytes;
    const std::size_t room = buffer_.max_size() - buffer_.size();
    stream_.async_read_some(
        buffer_.prepare(std::min(room, std::max(wanted, buffer_.capacity() - buffer_.size()))),
        [self = this->shared_from_this()](const ErrorCode& error, std::size_t count) {
          if (self->phase_ == Phase::kClosing) return;
          if (self->phase_ == Phase::kSending) return;  // a refusal is on its way
          if (error) return self->abort();
          self->buffer_.commit(count);
          if (self->phase_ == Phase::kIdle) {
            if (!self->has_begun()) return self->read();
            self->begin();
          }
          self->parse();
        });
  }
  void parse() {
    while (true) {
      ErrorCode error;
      buffer_.consume(parser_->put(buffer_.data(), error));
      if (error == http::error::bad_version && lower_minor_version()) {
        text_.clear();
        parser_.emplace(text_, options());
        continue;
      }
      if (error && error != http::error::need_more)
        return refuse(status_of(error), fmt::format("malformed request ({})", error.message()));
      if (parser_->is_header_done() && !checked_) {
        checked_ = true;
        if (!on_header()) return;
        if (has_plain_body()) return take_body();
        parser_->eager(true);
      }
      if (parser_->is_done()) return dispatch();
      if (error || buffer_.size() == 0) return read();
    }
  }

  // Makes HTTP/1.1 of a later HTTP/1.x: a server answers those with the highest version of its own
  // (RFC 9110, section 2.5). False where the request line says otherwise.
  bool lower_minor_version() {
    const std::string_view text = view_of(buffer_);
    const std::string_view line = text.substr(0, text.find("\r\n"));
    constexpr std::string_view kVersion = " HTTP/1.";
    if (line.size() == text.size() || line.size() <= kVersion.size()) return false;
    if (!line.substr(0, line.size() - 1).ends_with(kVersion)) return false;
    if (line.back() < '2' || line.back() > '9') return false;
    static_cast<char*>(buffer_.data().data())[line.size() - 1] = '1';
    return true;
  }

  // A body whose length is known, and which has no form that a parser would have to take off.
  bool has_plain_body() const { return !parser_->is_done() && parser_->content_length(); }

  // Such a body goes from the socket to where it stays, past the parser.
  void take_body() {
    const auto length = static_cast<std::size_t>(*parser_->content_length());
    beast::flat_buffer& body = text_.body;
    // A length is only a claim: memory follows what arrives.
    body.reserve(std::min(length, kReservedBytes) + Request::kBodyPadding);
    const std::size_t here = std::min(buffer_.size(), length - body.size());
    text_.append_to_body(buffer_.data().data(), here);
    buffer_.consume(here);
    if (body.size() == length) return dispatch();
    const std::size_t room = std::max(kBodyReadBytes, body.capacity() - body.size());
    stream_.async_read_some(
        body.prepare(std::min(room, length - body.size())),
        [self = this->shared_from_this()](const ErrorCode& error, std::size_t count) {
          if (self->phase_ == Phase::kClosing) return;
          if (self->phase_ == Phase::kSending) return;  // a refusal is on its way
          if (error) return self->abort();
          self->text_.body.commit(count);
          self->take_body();
        });
  }

  // False if the connection goes another way than to the body.
  bool on_header() {
    until_ = Clock::now() + duration_of(options().body_seconds);
    keep_alive_ = parser_->keep_alive();
    request_ = {};
    request_.method = text_.method;
    request_.headers = text_.headers;
    request_.peer = peer_;
    id_ = given_id(request_);
    if (id_.empty()) id_ = shard_.next_id();
    request_.id = id_;
    Admission admission =
        admit(text_[text_.target], text_.version, parser_->upgrade(), shard_.shared.is_loopback,
              shard_.shared.router, options(), request_);
    route_ = admission.route;
    if (admission.is_malformed) keep_alive_ = false;
    if (admission.refusal) return turn_away(std::move(*admission.refusal));
    if (admission.is_upgrade) return upgrade();
    if (same_but_for_case(request_.header("expect"), "100-continue") && !parser_->is_done()) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      asio::async_write(stream_, asio::buffer(kContinue.data(), kContinue.size()),
                        [self = this->shared_from_this()](const ErrorCode& error, std::size_t) {
                          if (error) return self->abort();
                          self->continue_body();
                        });
      return false;
    }
    return true;
  }
  void continue_body() {
    if (phase_ != Phase::kReceiving) return;
    if (has_plain_body()) return take_body();
    parser_->eager(true);
    if (buffer_.size() > 0) {
      parse();
    } else {
      read();
    }
  }
  bool turn_away(Response response) {
    keep_alive_ = keep_alive_ && parser_->is_done();  // what follows is a body that nobody reads
    send(std::move(response));
    return false;
  }

  bool upgrade() {
    if (!parser_->is_done() || buffer_.size() > 0)
      return turn_away(error_response(400, "nothing may follow an upgrade before its answer"));
    if (auto fault = check_upgrade(request_)) return turn_away(std::move(*fault));
    auto made = route_->socket(request_);
    if (auto* refusal = std::get_if<Response>(&made)) return turn_away(std::move(*refusal));
    UpgradeRequest request;
    request.method(http::verb::get);
    request.version(text_.version);
    const std::string_view target = text_[text_.target];
    request.target({target.data(), target.size()});
    for (const auto& [name, value] : text_.headers)
      request.insert({name.data(), name.size()}, {value.data(), value.size()});
    account(101);
    phase_ = Phase::kClosing;
    serve_websocket(shard_, std::move(stream_),
                    std::move(std::get<std::unique_ptr<SocketSession>>(made)), request, id_);
    return false;
  }

  void dispatch() {
    phase_ = Phase::kWorking;
    until_ = Clock::time_point::max();
    text_.body.prepare(Request::kBodyPadding);
    switch (coding_of(request_.header("content-encoding"))) {
      case BodyCoding::kNone:
        return handle(text_.whole_body());
      case BodyCoding::kGzip:
        return unpack();
      case BodyCoding::kUnknown:
        break;
    }
    Response response = error_response(415, "this server reads bodies as they are, or in gzip");
    response.headers.emplace_back("Accept-Encoding", "gzip, identity");
    send(std::move(response));
  }
  // On a worker: a body may unpack to a thousand times as much.
  void unpack() {
    auto work = [self = this->shared_from_this()] {
      return unpack_gzip(self->text_.whole_body(), self->options().max_body_bytes,
                         Request::kBodyPadding);
    };
    auto done = [self = this->shared_from_this()](UnpackedBody unpacked) {
      if (self->phase_ == Phase::kClosing) return;
      if (unpacked.status != 200)
        return self->send(error_response(unpacked.status, unpacked.fault));
      self->unpacked_ = std::move(unpacked.body);
      self->handle(self->unpacked_);
    };
    if (!run_on_worker(shard_, std::move(work), std::move(done))) send(busy());
  }
  void handle(std::string_view body) {
    request_.body = body;
    Answer answer = guarded([&] { return route_->handler(request_); });
    if (auto* response = std::get_if<Response>(&answer)) return send(std::move(*response));
    if (auto* stream = std::get_if<net::Stream>(&answer)) return begin_stream(std::move(*stream));
    auto work = [task = std::move(std::get<Later>(answer))] { return guarded(task); };
    auto done = [self = this->shared_from_this()](Response response) {
      self->send(std::move(response));
    };
    if (!run_on_worker(shard_, std::move(work), std::move(done))) send(busy());
  }
  Response busy() {
    ++shard_.counters.refused;
    Response response = error_response(503, "too much work waits; try again");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }

  // A request that cannot be read, or that took too long.
  void refuse(int status, std::string_view detail) {
    keep_alive_ = false;
    if (!checked_) {
      route_ = nullptr;
      request_ = {};
      id_ = shard_.next_id();
    }
    send(error_response(status, detail));
  }

  void write_head(int status, std::string_view content_type,
                  const std::vector<std::pair<std::string, std::string>>& headers) {
    head_.clear();
    append_head(head_, {.status = status,
                        .content_type = content_type,
                        .headers = headers,
                        .date = shard_.date(),
                        .id = id_,
                        .keep_alive = keep_alive_,
                        .version = text_.version});
  }

  void send(Response response) {
    if (phase_ == Phase::kClosing) return;
    phase_ = Phase::kSending;
    until_ = Clock::now() + duration_of(options().write_seconds);
    if (is_draining_) keep_alive_ = false;
    response_ = std::move(response);
    const bool has_body = response_.status != 204 && response_.status != 304;
    write_head(response_.status, has_body ? response_.content_type : std::string(),
               response_.headers);
    if (has_body) append_format(head_, "Content-Length: {}\r\n", response_.body.size());
    head_ += "\r\n";
    if (!has_body || text_.method == Method::kHead) response_.body.clear();
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_),
                                                    asio::buffer(response_.body)};
    asio::async_write(stream_, buffers,
                      [self = this->shared_from_this()](const ErrorCode& error, std::size_t count) {
                        self->sent_ = count;
                        if (error) return self->abort();
                        self->account(self->response_.status);
                        self->finish_or_go_on();
                      });
  }
  void finish_or_go_on() {
    if (!keep_alive_) return finish();
    next_request();
  }

  void account(int status) {
    const auto duration = Clock::now() - began_;
    const auto& router = shard_.shared.router;
    const std::size_t route = route_ == nullptr ? router.routes().size() : router.index_of(*route_);
    shard_.counters.count(route, status, duration, text_.body.size(), sent_);
    if (!options().log) return;
    options().log({.peer = peer_,
                   .id = id_,
                   .trace = request_.header("traceparent"),
                   .method = to_string(text_.method),
                   .path = request_.path,
                   .status = status,
                   .seconds = std::chrono::duration<double>(duration).count(),
                   .bytes_in = text_.body.size(),
                   .bytes_out = sent_});
  }

  // ---- streams

  void begin_stream(net::Stream stream) {
    phase_ = Phase::kSending;
    stream_answer_ = std::make_shared<net::Stream>(std::move(stream));
    is_chunked_ = text_.version == 11;
    if (!is_chunked_ || is_draining_) keep_alive_ = false;
    write_head(200, stream_answer_->content_type, stream_answer_->headers);
    head_ += is_chunked_ ? "Transfer-Encoding: chunked\r\nCache-Control: no-cache\r\n\r\n"
                         : "Cache-Control: no-cache\r\n\r\n";
    sent_ = 0;
    write_piece(std::move(head_), text_.method == Method::kHead);
  }
  void write_piece(std::string piece, bool is_last) {
    piece_ = std::move(piece);
    until_ = Clock::now() + duration_of(options().write_seconds);
    wrote_ = Clock::now();
    asio::async_write(
        stream_, asio::buffer(piece_),
        [self = this->shared_from_this(), is_last](const ErrorCode& error, std::size_t count) {
          self->sent_ += count;
          if (error) return self->abort();
          if (!is_last) return self->pull();
          self->stream_answer_.reset();
          self->account(200);
          self->finish_or_go_on();
        });
  }
  void pull() {
    if (phase_ == Phase::kClosing) return;
    until_ = Clock::time_point::max();
    if (is_draining_) return on_piece(std::nullopt);
    auto work = [stream = stream_answer_]() -> std::optional<std::string> {
      try {
        return stream->next();
      } catch (const std::exception&) {
        return std::nullopt;
      }
    };
    auto done = [self = this->shared_from_this()](std::optional<std::string> piece) {
      self->on_piece(std::move(piece));
    };
    if (!run_on_worker(shard_, std::move(work), std::move(done))) on_piece("");
  }
  void on_piece(std::optional<std::string> piece) {
    if (phase_ == Phase::kClosing) return;
    if (!piece) {
      keep_alive_ = keep_alive_ && !is_draining_;
      return write_piece(is_chunked_ ? "0\r\n\r\n" : "", true);
    }
    if (piece->empty() && Clock::now() - wrote_ > kHeartbeat &&
        stream_answer_->content_type == "text/event-stream") {
      piece = ":\n\n";  // a comment, which tells whether the client is still there
    }
    if (piece->empty()) {
      timer_.expires_after(stream_answer_->interval);
      timer_.async_wait([self = this->shared_from_this()](const ErrorCode& error) {
        if (!error) self->pull();
      });
      return;
    }
    write_piece(
        is_chunked_ ? fmt::format("{:x}\r\n{}\r\n", piece->size(), *piece) : std::move(*piece),
        false);
  }

  // ---- the end

  // Closing at once could lose the answer: the kernel drops it when bytes arrive that nobody reads.
  void finish() {
    phase_ = Phase::kClosing;
    until_ = Clock::now() + kLinger;
    if constexpr (kIsTls) {
      stream_.async_shutdown(
          [self = this->shared_from_this()](const ErrorCode&) { self->abort(); });
    } else {
      ErrorCode error;
      stream_.shutdown(tcp::socket::shutdown_send, error);
      if (error) return abort();
      buffer_.consume(buffer_.size());
      linger(kLingerBytes);
    }
  }
  void linger(std::size_t left) {
    stream_.async_read_some(
        buffer_.prepare(kReadBytes),
        [self = this->shared_from_this(), left](const ErrorCode& error, std::size_t count) {
          if (error || count >= left) return self->abort();
          self->linger(left - count);
        });
  }

  Stream stream_;
  beast::flat_buffer buffer_;
  RequestText text_;
  std::string unpacked_;  // the body, where it came packed
  std::optional<RequestParser> parser_;
  bool checked_ = false;  // the header, which is complete
  bool keep_alive_ = false;
  bool is_draining_ = false;
  bool is_chunked_ = true;
  Request request_;
  const Route* route_ = nullptr;
  std::string id_;
  Response response_;
  std::shared_ptr<net::Stream> stream_answer_;
  std::string head_, piece_;
  std::size_t sent_ = 0;
  Phase phase_ = Phase::kIdle;
  Clock::time_point began_, until_, wrote_;
  Timer timer_;
  std::string peer_;
};

}  // namespace

void serve_http(Shard& shard, Socket socket, std::string peer) {
  std::make_shared<HttpConnection<Socket>>(shard, std::move(socket), std::move(peer))->start();
}

void serve_http(Shard& shard, TlsSocket socket, std::string peer) {
  std::make_shared<HttpConnection<TlsSocket>>(shard, std::move(socket), std::move(peer))->start();
}

}  // namespace redqueen::net
