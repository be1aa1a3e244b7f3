// A client of bytes, for tests: what it sends need not be HTTP, and it reads no more than it is
// asked to.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "redqueen/base/ascii.h"

namespace redqueen::net {

struct Reply {
  int status = 0;  // 0: the connection ended before an answer was complete
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

struct Frame {
  int opcode = -1;  // −1: the connection ended
  bool is_last = true;
  std::string payload;
  // The code of a closing frame; 0: it has none.
  int close_code() const;
};

// One connection to 127.0.0.1. Reads give up after ten seconds.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port,
                     std::chrono::milliseconds patience = std::chrono::milliseconds(10'000));
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool is_connected() const { return socket_ >= 0; }
  // False where the other side takes no more.
  bool send(std::string_view bytes);
  // Half closed: the other side reads an end, and may still answer.
  void end();

  Reply read_reply(bool is_head = false);
  // Bytes as they come, an empty text at the end of the connection.
  std::string read_some();
  // Waits for the other side to close the connection; true if it does.
  bool is_closed();

  // The upgrade to a WebSocket: its status.
  int upgrade(std::string_view path, std::string_view headers = "");
  void send_frame(int opcode, std::string_view payload, bool is_last = true);
  Frame read_frame();

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

// GET or POST over a fresh connection.
inline Reply get(std::uint16_t port, std::string_view path, std::string_view headers = "");
inline Reply post(std::uint16_t port, std::string_view path, std::string_view body,
                  std::string_view headers = "");

// ------------------------------------------------------------------------------------------------

namespace raw_client_detail {

inline std::size_t number_in(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

inline unsigned byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

}  // namespace raw_client_detail

inline int Frame::close_code() const {
  if (opcode != 8 || payload.size() < 2) return 0;
  return static_cast<int>(raw_client_detail::byte_at(payload, 0) << 8 |
                          raw_client_detail::byte_at(payload, 1));
}

inline RawClient::RawClient(std::uint16_t port, std::chrono::milliseconds patience) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval limit{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(socket_);
    socket_ = -1;
  }
}

inline RawClient::~RawClient() {
  if (socket_ >= 0) close(socket_);
}

inline bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

inline void RawClient::end() { shutdown(socket_, SHUT_WR); }

inline bool RawClient::fill() {
  std::array<char, 16384> bytes{};
  const auto count = recv(socket_, bytes.data(), bytes.size(), 0);
  if (count <= 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

inline std::string RawClient::read_some() {
  if (buffer_.empty()) fill();
  return std::exchange(buffer_, {});
}

inline bool RawClient::is_closed() {
  char byte = 0;
  errno = 0;
  return recv(socket_, &byte, 1, 0) <= 0 && errno != EAGAIN;
}

inline Reply RawClient::read_reply(bool is_head) {
  Reply reply;
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!fill()) return reply;
  const std::string head = buffer_.substr(0, end);
  buffer_.erase(0, end + 4);
  for (std::size_t line = head.find("\r\n"); line != std::string::npos;) {
    const std::size_t next = head.find("\r\n", line + 2);
    const std::string text =
        head.substr(line + 2, next == std::string::npos ? next : next - line - 2);
    const std::size_t colon = text.find(": ");
    reply.headers[ascii_lower(text.substr(0, colon))] = text.substr(colon + 2);
    line = next;
  }
  const int status =
      static_cast<int>(raw_client_detail::number_in(std::string_view(head).substr(9, 3), 10));
  if (is_head || status == 204 || status == 304 || status == 101 || status == 100) {
    reply.status = status;
    return reply;
  }
  if (reply.headers.contains("transfer-encoding")) {
    while (true) {
      while ((end = buffer_.find("\r\n")) == std::string::npos)
        if (!fill()) return reply;
      const std::size_t size =
          raw_client_detail::number_in(std::string_view(buffer_).substr(0, end), 16);
      while (buffer_.size() < end + 2 + size + 2)
        if (!fill()) return reply;
      reply.body += buffer_.substr(end + 2, size);
      buffer_.erase(0, end + 2 + size + 2);
      if (size == 0) break;
    }
  } else {
    const std::size_t size = raw_client_detail::number_in(reply.headers["content-length"], 10);
    while (buffer_.size() < size)
      if (!fill()) return reply;
    reply.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
  }
  reply.status = status;
  return reply;
}

inline int RawClient::upgrade(std::string_view path, std::string_view headers) {
  send(
      fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                  "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}\r\n",
                  path, headers));
  return read_reply().status;
}

inline void RawClient::send_frame(int opcode, std::string_view payload, bool is_last) {
  std::string frame;
  frame += static_cast<char>((is_last ? 0x80 : 0) | opcode);
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    const bool is_long = payload.size() > 0xffff;
    frame += static_cast<char>(0x80 | (is_long ? 127 : 126));
    for (int shift = is_long ? 56 : 8; shift >= 0; shift -= 8)
      frame += static_cast<char>(payload.size() >> shift & 0xff);
  }
  constexpr std::string_view kMask = "mask";
  frame += kMask;
  for (std::size_t i = 0; i < payload.size(); ++i)
    frame += static_cast<char>(payload[i] ^ kMask[i % kMask.size()]);
  send(frame);
}

inline Frame RawClient::read_frame() {
  const auto need = [this](std::size_t count) {
    while (buffer_.size() < count)
      if (!fill()) return false;
    return true;
  };
  if (!need(2)) return {};
  std::size_t size = raw_client_detail::byte_at(buffer_, 1) & 0x7f;
  const std::size_t length_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (!need(2 + length_bytes)) return {};
  if (length_bytes > 0) {
    size = 0;
    for (std::size_t i = 0; i < length_bytes; ++i)
      size = size << 8 | raw_client_detail::byte_at(buffer_, 2 + i);
  }
  if (!need(2 + length_bytes + size)) return {};
  Frame frame{.opcode = static_cast<int>(raw_client_detail::byte_at(buffer_, 0) & 0x0f),
              .is_last = (raw_client_detail::byte_at(buffer_, 0) & 0x80) != 0,
              .payload = buffer_.substr(2 + length_bytes, size)};
  buffer_.erase(0, 2 + length_bytes + size);
  return frame;
}

inline Reply get(std::uint16_t port, std::string_view path, std::string_view headers) {
  RawClient client(port);
  client.send(fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers));
  return client.read_reply();
}

inline Reply post(std::uint16_t port, std::string_view path, std::string_view body,
                  std::string_view headers) {
  RawClient client(port);
  client.send(fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}",
                          path, body.size(), headers, body));
  return client.read_reply();
}

}  // namespace redqueen::net
