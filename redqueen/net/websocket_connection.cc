#include "redqueen/net/websocket_connection.h"

#include <optional>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/stream.hpp>

#include "redqueen/base/clock.h"

namespace redqueen::net {
namespace {

namespace websocket = boost::beast::websocket;

constexpr auto kPingAfter = std::chrono::seconds(30);  // of silence
constexpr auto kCloseWait = std::chrono::seconds(5);

template <typename Stream>
class WebsocketConnection final : public Connection,
                                  public std::enable_shared_from_this<WebsocketConnection<Stream>> {
 public:
  WebsocketConnection(Shard& shard, Stream stream, std::unique_ptr<SocketSession> session)
      : Connection(shard), stream_(std::move(stream)), session_(std::move(session)) {
    ++shard_.counters.sockets;
    front_.max_size(options().max_message_bytes + kReadBytes);
    back_.max_size(options().max_message_bytes + kReadBytes);
  }
  ~WebsocketConnection() override { --shard_.counters.sockets; }

  void accept(const UpgradeRequest& request, std::string id) {
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

template <typename Stream>
void serve(Shard& shard, Stream stream, std::unique_ptr<SocketSession> session,
           const UpgradeRequest& request, std::string id) {
  std::make_shared<WebsocketConnection<Stream>>(shard, std::move(stream), std::move(session))
      ->accept(request, std::move(id));
}

}  // namespace

void serve_websocket(Shard& shard, Socket socket, std::unique_ptr<SocketSession> session,
                     const UpgradeRequest& request, std::string id) {
  serve(shard, std::move(socket), std::move(session), request, std::move(id));
}

void serve_websocket(Shard& shard, TlsSocket socket, std::unique_ptr<SocketSession> session,
                     const UpgradeRequest& request, std::string id) {
  serve(shard, std::move(socket), std::move(session), request, std::move(id));
}

}  // namespace redqueen::net
