#include "redqueen/net/server.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <list>
#include <random>
#include <thread>
#include <utility>  // before asio/awaitable.hpp, which forgets it in Boost 1.74

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "redqueen/base/ascii.h"
#include "redqueen/base/clock.h"
#include "redqueen/base/format.h"
#include "redqueen/net/metrics.h"
#include "redqueen/net/worker_pool.h"

namespace redqueen::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;
// Streams that know the type of their executor: a type-erased one costs an allocation an operation.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using TlsSocket = asio::ssl::stream<Socket>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Clock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

constexpr auto kSweep = std::chrono::milliseconds(250);
constexpr std::size_t kReadBytes = 4096;  // asked of the kernel at least
constexpr std::size_t kBodyReadBytes = std::size_t{32} << 10;
constexpr std::size_t kReservedBytes = std::size_t{64} << 10;  // for a body that is announced
constexpr std::size_t kKeptBytes = std::size_t{1} << 18;       // buffers beyond this are given back
constexpr auto kLinger = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{4} << 20;
constexpr auto kHeartbeat = std::chrono::seconds(15);
constexpr auto kPingAfter = std::chrono::seconds(30);  // of silence
constexpr auto kCloseWait = std::chrono::seconds(5);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// ------------------------------------------------------------------------------------------------
// Reading a request

// What a request consists of, in memory that the next request uses again.
struct RequestText {
  struct Span {
    std::size_t at = 0;
    std::size_t size = 0;
  };
  std::string text;  // target and fields
  Span target;
  std::vector<std::pair<Span, Span>> fields;
  std::vector<Header> headers;  // views into `text`
  Method method = Method::kOther;
  int version = 11;
  beast::flat_buffer body;

  std::string_view whole_body() const {
    const auto data = body.cdata();
    return {static_cast<const char*>(data.data()), data.size()};
  }
  void append_to_body(const void* bytes, std::size_t size) {
    body.commit(asio::buffer_copy(body.prepare(size), asio::const_buffer(bytes, size)));
  }
  void clear() {
    text.clear();
    fields.clear();
    headers.clear();
    body.clear();
    if (body.capacity() > kKeptBytes) body.shrink_to_fit();
  }
  Span keep(std::string_view part) {
    text += part;
    return {text.size() - part.size(), part.size()};
  }
  std::string_view operator[](Span span) const {
    return std::string_view(text).substr(span.at, span.size);
  }
};

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::kGet;
    case http::verb::head:
      return Method::kHead;
    case http::verb::post:
      return Method::kPost;
    case http::verb::put:
      return Method::kPut;
    case http::verb::patch:
      return Method::kPatch;
    case http::verb::delete_:
      return Method::kDelete;
    case http::verb::options:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

// Beast's parser, writing to a RequestText: the header, and bodies in chunks.
class Parser final : public http::basic_parser<true> {
 public:
  Parser(RequestText& request, const ServerOptions& options) : request_(request) {
    header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
    body_limit(options.max_body_bytes);
  }

 private:
  void on_request_impl(http::verb verb, beast::string_view, beast::string_view target, int version,
                       ErrorCode&) override {
    request_.method = method_of(verb);
    request_.version = version;
    request_.target = request_.keep(view(target));
  }
  void on_response_impl(int, beast::string_view, int, ErrorCode&) override {}
  void on_field_impl(http::field, beast::string_view name, beast::string_view value,
                     ErrorCode&) override {
    if (is_header_done()) return;  // trailers say nothing that this server asks for
    const auto kept = request_.keep(view(name));
    request_.fields.emplace_back(kept, request_.keep(view(value)));
  }
  void on_header_impl(ErrorCode&) override {
    for (const auto& [name, value] : request_.fields)
      request_.headers.push_back({request_[name], request_[value]});
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, ErrorCode&) override {}
  std::size_t on_body_impl(beast::string_view body, ErrorCode&) override {
    request_.append_to_body(body.data(), body.size());
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, ErrorCode&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, ErrorCode&) override {
    request_.append_to_body(body.data(), body.size());
    return body.size();
  }
  void on_finish_impl(ErrorCode&) override {}

  RequestText& request_;
};

int status_of(const ErrorCode& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  if (error == http::error::bad_version) return 505;
  return 400;
}

// ------------------------------------------------------------------------------------------------
// Who may ask

// Takes as long for any guess.
bool same_secret(std::string_view given, std::string_view secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(secret[i % std::max<std::size_t>(secret.size(), 1)]);
  }
  return !secret.empty() && difference == 0;
}

std::string token_of(const Request& request) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string_view authorization = request.header("authorization");
  if (same_but_for_case(authorization.substr(0, kBearer.size()), kBearer))
    return std::string(authorization.substr(kBearer.size()));
  if (const std::string_view key = request.header("x-api-key"); !key.empty())
    return std::string(key);
  if (request.method == Method::kGet) return request.query_value("token").value_or("");
  return {};
}

// The name or address of a Host header, without the port; IPv6 with its brackets.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view name) {
  if (name.starts_with('[') && name.ends_with(']')) name = name.substr(1, name.size() - 2);
  ErrorCode error;
  asio::ip::make_address(std::string(name), error);
  return !error;
}

std::size_t count_headers(const Request& request, std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      request.headers, [&](const Header& header) { return same_but_for_case(header.name, name); }));
}

// ------------------------------------------------------------------------------------------------
// Writing an answer

// A header's value cannot begin another header.
std::string one_line(std::string_view value) {
  std::string line(value);
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ' && c != '\t') c = ' ';
  return line;
}

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

Response guarded(const std::function<Response()>& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return error_response(500, fmt::format("this is a fault of redqueen itself: {}", error.what()));
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// The server's parts

namespace {

// What all threads share; read-only but for the pool and `draining`.
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

// One thread with its connections.
class Shard {
 public:
  Shard(Shared& shared, std::uint32_t id_prefix)
      : shared(shared),
        counters(shared.router.routes().size() + 1),
        id_prefix_(id_prefix),
        io(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
        acceptor_(io),
        timer_(io) {}

  Status listen(const tcp::endpoint& endpoint, bool share);
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void run() {
    accept();
    sweep();
    io.run();
  }
  // From any thread.
  void drain();

  void enter(Connection* connection);
  void leave(Connection* connection);

  std::string next_id() { return fmt::format("{:08x}-{:x}", id_prefix_, ++requests_); }
  const std::string& date() const { return date_; }

  Shared& shared;
  Counters counters;

 private:
  void accept();
  void take(Socket socket);
  void sweep();

  std::list<Connection*> connections_;
  const std::uint32_t id_prefix_;
  std::uint64_t requests_ = 0;
  std::string date_ = http_date();
  std::optional<Clock::time_point> drain_until_;

 public:
  asio::io_context io;  // goes before what its handlers refer to

 private:
  Acceptor acceptor_;
  Timer timer_;
};

class Connection {
 public:
  explicit Connection(Shard& shard) : shard_(shard) { shard_.enter(this); }
  virtual ~Connection() { shard_.leave(this); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void tick(Clock::time_point now) = 0;  // ends it when its time is over
  virtual void drain() = 0;                      // ends it, after what is in flight
  virtual void abort() = 0;                      // ends it now

  std::list<Connection*>::iterator place;

 protected:
  const ServerOptions& options() const { return shard_.shared.options; }
  Shard& shard_;
};

// Runs `work` on a worker thread, then `done` with what it gave on the connection's own thread.
// False if too much work waits already.
template <typename Work, typename Done>
bool run_on_worker(Shard& shard, Work work, Done done) {
  return shard.shared.pool->submit([&io = shard.io, work = std::move(work),
                                    done = std::make_shared<Done>(std::move(done))]() mutable {
    auto result = std::make_shared<decltype(work())>(work());
    asio::post(
        io, [result = std::move(result), done = std::move(done)] { (*done)(std::move(*result)); });
  });
}

// ------------------------------------------------------------------------------------------------
// WebSockets

template <typename Stream>
class SocketConnection final : public Connection,
                               public std::enable_shared_from_this<SocketConnection<Stream>> {
 public:
  SocketConnection(Shard& shard, Stream stream, std::unique_ptr<SocketSession> session)
      : Connection(shard), stream_(std::move(stream)), session_(std::move(session)) {
    ++shard_.counters.sockets;
    front_.max_size(options().max_message_bytes + kReadBytes);
    back_.max_size(options().max_message_bytes + kReadBytes);
  }
  ~SocketConnection() override { --shard_.counters.sockets; }

  void accept(const http::request<http::empty_body>& request, std::string id) {
    // The sweep watches the time; a timer an operation would cost more than the operation.
    stream_.set_option(websocket::stream_base::timeout{websocket::stream_base::none(),
                                                       websocket::stream_base::none(), false});
    stream_.set_option(
        websocket::stream_base::decorator([id = std::move(id)](websocket::response_type& response) {
          response.set("X-Request-Id", id);
        }));
    stream_.read_message_max(options().max_message_bytes);
    stream_.auto_fragment(false);
    stream_.control_callback(
        [this](websocket::frame_type, beast::string_view) { seen_ = Clock::now(); });
    write_until_ = Clock::now() + duration_of(options().write_seconds);
    stream_.async_accept(request, [self = this->shared_from_this()](const ErrorCode& error) {
      self->write_until_ = {};
      if (!error) self->read();
    });
  }

  void tick(Clock::time_point now) override {
    if (write_until_ && now > *write_until_) return abort();
    if (is_closing_) return;
    if (!is_busy_ && now - heard_ > duration_of(options().socket_idle_seconds)) return close(1001);
    if (now - seen_ < kPingAfter) return;
    if (is_ping_out_) {
      if (now - pinged_ > kPingAfter) abort();
      return;
    }
    is_ping_out_ = true;
    pinged_ = now;
    stream_.async_ping({}, [self = this->shared_from_this()](const ErrorCode&) {});
  }
  void drain() override {
    is_draining_ = true;
    if (!is_busy_) close(1001);
  }
  void abort() override {
    ErrorCode ignored;
    beast::get_lowest_layer(stream_).close(ignored);
  }

 private:
  // A read is always under way, even while a message is answered: only then does Beast answer
  // pings. One message waits at most, and stops the reading.
  void read() {
    if (is_reading_ || has_next_ || is_closing_) return;
    is_reading_ = true;
    stream_.async_read(back_,
                       [self = this->shared_from_this()](const ErrorCode& error, std::size_t) {
                         self->is_reading_ = false;
                         if (error) return;  // closed, by whomever: the last reference goes
                         self->seen_ = self->heard_ = Clock::now();
                         self->is_ping_out_ = false;
                         self->has_next_ = true;
                         self->next_is_binary_ = self->stream_.got_binary();
                         self->take();
                       });
  }
  void take() {
    if (is_busy_ || !has_next_ || is_closing_) return;
    if (front_.capacity() > kKeptBytes) {
      front_ = beast::flat_buffer(options().max_message_bytes + kReadBytes);
    }
    front_.clear();
    swap(front_, back_);
    has_next_ = false;
    is_busy_ = true;
    shard_.counters.messages.fetch_add(1, std::memory_order_relaxed);
    const auto data = front_.cdata();
    const std::string_view message(static_cast<const char*>(data.data()), data.size());
    const bool is_binary = next_is_binary_;
    read();
    answer(message, is_binary);
  }
  void answer(std::string_view message, bool is_binary) {
    auto given = [&]() -> SocketSession::Answer {
      try {
        return session_->on_message(message, is_binary);
      } catch (const std::exception&) {
        return SocketAnswer{.texts = {}, .close = 1011};
      }
    }();
    if (auto* ready = std::get_if<SocketAnswer>(&given)) return write(std::move(*ready));
    auto work = [task =
                     std::move(std::get<std::function<SocketAnswer()>>(given))]() -> SocketAnswer {
      try {
        return task();
      } catch (const std::exception&) {
        return {.texts = {}, .close = 1011};
      }
    };
    auto done = [self = this->shared_from_this()](SocketAnswer answer) {
      self->write(std::move(answer));
    };
    if (!run_on_worker(shard_, std::move(work), std::move(done))) {
      ++shard_.counters.refused;
      write({.texts = {}, .close = 1013});
    }
  }
  void write(SocketAnswer answer) {
    answer_ = std::move(answer);
    written_ = 0;
    write_next();
  }
  void write_next() {
    if (written_ == answer_.texts.size()) {
      write_until_ = {};
      if (answer_.close || is_draining_) return close(answer_.close.value_or(1001));
      is_busy_ = false;
      return take();
    }
    write_until_ = Clock::now() + duration_of(options().write_seconds);
    stream_.text(true);
    stream_.async_write(asio::buffer(answer_.texts[written_]),
                        [self = this->shared_from_this()](const ErrorCode& error, std::size_t) {
                          if (error) return self->abort();
                          ++self->written_;
                          self->write_next();
                        });
  }
  void close(std::uint16_t code) {
    if (is_closing_) return;
    is_closing_ = true;
    write_until_ = Clock::now() + kCloseWait;
    stream_.async_close(websocket::close_reason(code),
                        [self = this->shared_from_this()](const ErrorCode&) { self->abort(); });
  }

  websocket::stream<Stream> stream_;
  std::unique_ptr<SocketSession> session_;
  beast::flat_buffer front_, back_;  // the message that is answered; the next one
  SocketAnswer answer_;
  std::size_t written_ = 0;
  bool is_reading_ = false, has_next_ = false, next_is_binary_ = false, is_busy_ = false;
  bool is_closing_ = false, is_draining_ = false, is_ping_out_ = false;
  Clock::time_point seen_ = Clock::now();   // of any frame
  Clock::time_point heard_ = Clock::now();  // of a message
  Clock::time_point pinged_;
  std::optional<Clock::time_point> write_until_;
};

// ------------------------------------------------------------------------------------------------
// HTTP

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
    parser_.emplace(text_, options());
    checked_ = false;
    phase_ = Phase::kIdle;
    until_ = Clock::now() + duration_of(options().idle_seconds);
    if (buffer_.size() > 0) {
      begin();
      parse();
    } else {
      read();
    }
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
          if (self->phase_ == Phase::kIdle) self->begin();
          self->parse();
        });
  }
  void parse() {
    while (true) {
      ErrorCode error;
      buffer_.consume(parser_->put(buffer_.data(), error));
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
    id_ = accepted_id();
    request_.id = id_;
    if (auto fault = check_form()) {
      keep_alive_ = false;
      return turn_away(std::move(*fault));
    }
    if (auto fault = check_origin()) return turn_away(std::move(*fault));
    is_upgrade_ = parser_->upgrade() && same_but_for_case(request_.header("upgrade"), "websocket");
    auto found = shard_.shared.router.find(request_.method, request_.path, is_upgrade_);
    route_ = found.route;
    request_.parts = std::move(found.parts);
    if (auto fault = check_token()) return turn_away(std::move(*fault));
    if (route_ == nullptr) return turn_away(not_found(found));
    if (is_upgrade_) return upgrade();
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

  std::string accepted_id() {
    const std::string_view given = request_.header("x-request-id");
    const auto is_plain = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '-' || c == '_' || c == '.' || c == ':';
    };
    if (given.empty() || given.size() > 128 || !std::ranges::all_of(given, is_plain))
      return shard_.next_id();
    return std::string(given);
  }

  // A request that two readers could read differently is refused, for then a proxy before us and we
  // might see two requests where the other sees one.
  std::optional<Response> check_form() {
    std::string_view target = text_[text_.target];
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!same_but_for_case(target.substr(0, scheme.size()), scheme)) continue;
      const std::size_t slash = target.find('/', scheme.size());
      target = slash == std::string_view::npos ? "/" : target.substr(slash);
    }
    if (!target.starts_with('/') || target.find('#') != std::string_view::npos)
      return error_response(400, "the target is no path");
    const std::size_t question = target.find('?');
    request_.path = target.substr(0, question);
    if (question != std::string_view::npos) request_.query = target.substr(question + 1);
    const std::size_t hosts = count_headers(request_, "host");
    if (hosts > 1 || (hosts == 0 && text_.version == 11))
      return error_response(400, "one Host header is needed");
    const std::size_t encodings = count_headers(request_, "transfer-encoding");
    if (encodings > 0 &&
        (encodings > 1 || text_.version == 10 || count_headers(request_, "content-length") > 0))
      return error_response(400, "the length of the body is ambiguous");
    if (encodings == 1 && !same_but_for_case(request_.header("transfer-encoding"), "chunked"))
      return error_response(501, "the only transfer encoding is chunked");
    if (count_headers(request_, "content-length") > 1)
      return error_response(400, "one Content-Length header is enough");
    return std::nullopt;
  }

  std::optional<Response> check_origin() {
    const std::string_view host = request_.header("host");
    const std::string_view name = host_name(host);
    const auto& hosts = options().hosts;
    // A page elsewhere can have its own name point to this machine: then the name tells.
    if (shard_.shared.is_loopback && text_.version == 11 && !is_address(name) &&
        !same_but_for_case(name, "localhost") &&
        std::ranges::none_of(hosts,
                             [&](const auto& known) { return same_but_for_case(known, name); })) {
      return error_response(
          421, fmt::format("this server does not answer to the name \"{}\"", one_line(name)));
    }
    const bool changes = request_.method != Method::kGet && request_.method != Method::kHead;
    if (!changes && !parser_->upgrade()) return std::nullopt;
    const std::string_view origin = request_.header("origin");
    if (count_headers(request_, "origin") == 0) return std::nullopt;  // no browser
    const std::size_t scheme = origin.find("://");
    const bool is_own =
        scheme != std::string_view::npos && same_but_for_case(origin.substr(scheme + 3), host);
    if (is_own || std::ranges::find(options().origins, origin) != options().origins.end())
      return std::nullopt;
    return error_response(403, "pages from elsewhere may not do this");
  }

  std::optional<Response> check_token() {
    const ServerOptions& given = options();
    if (given.token.empty() && given.admin_token.empty()) return std::nullopt;
    const std::string token = token_of(request_);
    const bool is_admin = same_secret(token, given.admin_token);
    const bool is_user = same_secret(token, given.token) || given.token.empty();
    request_.is_admin = is_admin || (given.admin_token.empty() && is_user);
    const Access access = route_ == nullptr ? Access::kUser : route_->notes.access;
    if (access == Access::kOpen || request_.is_admin) return std::nullopt;
    if (access == Access::kUser && is_user) return std::nullopt;
    if (is_user && !token.empty())
      return error_response(403, "this takes the administrator's token");
    Response response = error_response(401, "a token is needed: Authorization: Bearer …");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return response;
  }

  Response not_found(const Router::Match& match) const {
    if (match.allowed.empty()) {
      const bool is_socket =
          shard_.shared.router.find(Method::kGet, request_.path, !is_upgrade_).route != nullptr;
      if (!is_socket) return error_response(404, "Not Found");
      if (is_upgrade_) return error_response(400, "there is no WebSocket here");
      Response response = error_response(426, "this is a WebSocket");
      response.headers.emplace_back("Upgrade", "websocket");
      return response;
    }
    Response response = error_response(405, "Method Not Allowed");
    std::string allowed;
    for (const Method method : match.allowed) {
      if (!allowed.empty()) allowed += ", ";
      allowed += to_string(method);
      if (method == Method::kGet) allowed += ", HEAD";
    }
    response.headers.emplace_back("Allow", std::move(allowed));
    return response;
  }

  bool upgrade() {
    if (!parser_->is_done() || buffer_.size() > 0)
      return turn_away(error_response(400, "nothing may follow an upgrade before its answer"));
    if (count_headers(request_, "sec-websocket-key") != 1 ||
        request_.header("sec-websocket-version") != "13") {
      Response response = error_response(426, "version 13 of WebSocket is needed");
      response.headers.emplace_back("Sec-WebSocket-Version", "13");
      return turn_away(std::move(response));
    }
    auto made = route_->socket(request_);
    if (auto* refusal = std::get_if<Response>(&made)) return turn_away(std::move(*refusal));
    http::request<http::empty_body> request;
    request.method(http::verb::get);
    request.version(text_.version);
    const std::string_view target = text_[text_.target];
    request.target({target.data(), target.size()});
    for (const auto& [name, value] : text_.headers)
      request.insert({name.data(), name.size()}, {value.data(), value.size()});
    account(101);
    phase_ = Phase::kClosing;
    std::make_shared<SocketConnection<Stream>>(
        shard_, std::move(stream_), std::move(std::get<std::unique_ptr<SocketSession>>(made)))
        ->accept(request, id_);
    return false;
  }

  void dispatch() {
    phase_ = Phase::kWorking;
    until_ = Clock::time_point::max();
    text_.body.prepare(Request::kBodyPadding);
    request_.body = text_.whole_body();
    Answer answer = [&]() -> Answer {
      try {
        return route_->handler(request_);
      } catch (const std::exception& error) {
        return error_response(500,
                              fmt::format("this is a fault of redqueen itself: {}", error.what()));
      }
    }();
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
    append_format(head_,
                  "HTTP/1.1 {} {}\r\nDate: {}\r\nX-Request-Id: {}\r\n"
                  "X-Content-Type-Options: nosniff\r\n",
                  status, reason_of(status), shard_.date(), id_);
    if (!content_type.empty()) append_format(head_, "Content-Type: {}\r\n", content_type);
    for (const auto& [name, value] : headers)
      append_format(head_, "{}: {}\r\n", name, one_line(value));
    if (!keep_alive_) {
      head_ += "Connection: close\r\n";
    } else if (text_.version == 10) {
      head_ += "Connection: keep-alive\r\n";
    }
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
  std::optional<Parser> parser_;
  bool checked_ = false;  // the header, which is complete
  bool keep_alive_ = false;
  bool is_upgrade_ = false;
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

// ------------------------------------------------------------------------------------------------
// Threads

Status Shard::listen(const tcp::endpoint& endpoint, bool share) {
  ErrorCode error;
  const auto check = [&](std::string_view step) -> Status {
    if (!error) return {};
    return failure("{}:{}: cannot be served: {} ({})", endpoint.address().to_string(),
                   endpoint.port(), error.message(), step);
  };
  acceptor_.open(endpoint.protocol(), error);
  RETURN_IF_ERROR(check("socket"));
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  RETURN_IF_ERROR(check("SO_REUSEADDR"));
  if (share) {
    const int one = 1;
    if (setsockopt(acceptor_.native_handle(), SOL_SOCKET, SO_REUSEPORT, &one, sizeof one) != 0)
      return failure("SO_REUSEPORT is not to be had: serve with one thread");
  }
  acceptor_.bind(endpoint, error);
  RETURN_IF_ERROR(check("bind"));
  acceptor_.listen(4096, error);
  return check("listen");
}

void Shard::accept() {
  acceptor_.async_accept([this](const ErrorCode& error, Socket socket) {
    if (!acceptor_.is_open()) return;
    if (!error) {
      take(std::move(socket));
      return accept();
    }
    // No file descriptors, most likely: they come back when connections end.
    auto timer = std::make_shared<Timer>(io, kSweep);
    timer->async_wait([this, timer](const ErrorCode&) {
      if (acceptor_.is_open()) accept();
    });
  });
}

void Shard::take(Socket socket) {
  ErrorCode error;
  socket.set_option(tcp::no_delay(true), error);
  const auto remote = socket.remote_endpoint(error);
  if (error) return;
  const auto& options = shared.options;
  const std::size_t share =
      std::max<std::size_t>(options.max_connections / static_cast<std::size_t>(options.threads), 1);
  if (connections_.size() >= share) {
    ++counters.refused;
    static constexpr std::string_view kFull =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n";
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer(kFull.data(), kFull.size()), error);
    return;
  }
  std::string peer = remote.address().to_string();
  if (shared.tls) {
    std::make_shared<HttpConnection<TlsSocket>>(*this, TlsSocket(std::move(socket), *shared.tls),
                                                std::move(peer))
        ->start();
  } else {
    std::make_shared<HttpConnection<Socket>>(*this, std::move(socket), std::move(peer))->start();
  }
}

void Shard::enter(Connection* connection) {
  connection->place = connections_.insert(connections_.end(), connection);
}
void Shard::leave(Connection* connection) { connections_.erase(connection->place); }

void Shard::drain() {
  asio::post(io, [this] {
    ErrorCode ignored;
    acceptor_.close(ignored);
    drain_until_ = Clock::now() + duration_of(shared.options.grace_seconds);
    for (auto next = connections_.begin(); next != connections_.end();) (*next++)->drain();
    timer_.cancel();  // sweeps at once
  });
}

void Shard::sweep() {
  date_ = http_date();
  const auto now = Clock::now();
  if (drain_until_ && (connections_.empty() || now > *drain_until_)) return io.stop();
  for (auto next = connections_.begin(); next != connections_.end();) (*next++)->tick(now);
  timer_.expires_after(drain_until_ ? std::chrono::milliseconds(10) : kSweep);
  timer_.async_wait([this](const ErrorCode&) { sweep(); });
}

// Shells leave programs 1024 open files, and let them have many more.
void raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

Expected<asio::ip::address> address_of(const std::string& text) {
  ErrorCode error;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (error) {
    return usage_error("\"{}\" is no address to listen on: give a numeric one, 0.0.0.0 for all",
                       text);
  }
  return address;
}

Expected<std::optional<asio::ssl::context>> tls_of(const ServerOptions& options) {
  if (options.certificate_file.empty() != options.key_file.empty())
    return usage_error("TLS takes a certificate and its key, and only one of them is given");
  if (options.certificate_file.empty()) return std::nullopt;
  asio::ssl::context tls(asio::ssl::context::tls_server);
  ErrorCode error;
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  tls.use_certificate_chain_file(options.certificate_file, error);
  if (error)
    return usage_error("{}: no PEM certificate ({})", options.certificate_file, error.message());
  tls.use_private_key_file(options.key_file, asio::ssl::context::pem, error);
  if (error)
    return usage_error("{}: not the certificate's PEM key ({})", options.key_file, error.message());
  return std::optional<asio::ssl::context>(std::move(tls));
}

}  // namespace

struct Server::State {
  State(Router router, ServerOptions options) : shared(std::move(router), std::move(options)) {}

  Shared shared;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<std::thread> threads;
  asio::ip::address address;
  std::uint16_t port = 0;

  std::string metrics_text() const {
    std::vector<std::string> names;
    for (const Route& route : shared.router.routes()) names.push_back(route.pattern);
    names.emplace_back("none");
    std::vector<const Counters*> all;
    for (const auto& shard : shards) all.push_back(&shard->counters);
    std::string text = prometheus_text(names, all);
    text += prometheus_line("redqueen_work_waiting", "gauge", "Tasks that wait for a worker.",
                            static_cast<double>(shared.pool->waiting()));
    if (shared.options.more_metrics) text += shared.options.more_metrics();
    return text;
  }
  Response readiness() const {
    std::string reason = shared.draining ? "stopping" : "";
    if (reason.empty() && shared.options.why_not_ready) reason = shared.options.why_not_ready();
    return reason.empty() ? json_response({{"status", "ok"}}) : error_response(503, reason);
  }
  void add_own_routes();
  Status listen();
};

void Server::State::add_own_routes() {
  const auto add = [this](const char* path, Access access, const char* summary, Handler handler) {
    if (shared.router.find(Method::kGet, path).route != nullptr) return;
    shared.router.add(Method::kGet, path, std::move(handler),
                      {.access = access, .summary = summary, .group = "health"});
  };
  const auto alive = [](const Request&) -> Answer { return json_response({{"status", "ok"}}); };
  add("/healthz", Access::kOpen, "Is the process alive?", alive);
  add("/livez", Access::kOpen, "Is the process alive?", alive);
  add("/readyz", Access::kOpen, "Should it get requests?",
      [this](const Request&) -> Answer { return readiness(); });
  add("/metrics", Access::kUser, "Counters for Prometheus", [this](const Request&) -> Answer {
    return Response{.body = metrics_text(), .content_type = "text/plain; version=0.0.4"};
  });
}

Status Server::State::listen() {
  const ServerOptions& options = shared.options;
  const bool share = options.share_port || options.threads > 1;
  port = options.port;
  if (share && !options.share_port && port != 0) {
    // Sharing would hide that somebody else has the port.
    Shard probe(shared, 0);
    RETURN_IF_ERROR(probe.listen({address, port}, false));
  }
  std::random_device random;
  for (int i = 0; i < options.threads; ++i) {
    shards.push_back(std::make_unique<Shard>(shared, random()));
    RETURN_IF_ERROR(shards.back()->listen({address, port}, share));
    port = shards.back()->port();
  }
  return {};
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&& other) noexcept {
  stop();
  state_ = std::move(other.state_);
  return *this;
}
Server::~Server() { stop(); }

Expected<Server> Server::start(Router router, ServerOptions options) {
  ASSIGN_OR_RETURN(const auto address, address_of(options.address));
  if (!address.is_loopback() && options.token.empty() && !options.without_token) {
    return usage_error(
        "{} can be reached from other machines: give a token, or say that it serves without one",
        options.address);
  }
  if (options.threads < 1) return usage_error("a server needs a thread at least");
  raise_file_limit();
  ASSIGN_OR_RETURN(auto tls, tls_of(options));
  auto state = std::make_unique<State>(std::move(router), std::move(options));
  state->address = address;
  state->shared.is_loopback = address.is_loopback();
  state->shared.tls = std::move(tls);
  state->add_own_routes();
  RETURN_IF_ERROR(state->listen());
  const ServerOptions& given = state->shared.options;
  const int cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  state->shared.pool =
      std::make_unique<WorkerPool>(given.workers > 0 ? given.workers : cores, given.most_waiting);
  for (const auto& shard : state->shards)
    state->threads.emplace_back([&shard = *shard] { shard.run(); });
  return Server(std::move(state));
}

std::uint16_t Server::port() const { return state_->port; }

std::string Server::url() const {
  const std::string address = state_->address.to_string();
  return fmt::format("{}://{}:{}", state_->shared.tls ? "https" : "http",
                     state_->address.is_v6() ? fmt::format("[{}]", address) : address, port());
}

void Server::stop() {
  if (!state_ || state_->threads.empty()) return;
  state_->shared.draining = true;
  for (const auto& shard : state_->shards) shard->drain();
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
  state_->shared.pool.reset();
}

}  // namespace redqueen::net
