// Whole messages between two processes of one machine.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen {

// One end of a connection. Messages are values of JSON in CBOR (RFC 8949): texts may hold any
// bytes, and numbers come out as they went in. Movable, not copyable.
class Channel {
 public:
  // Takes over a connected socket.
  explicit Channel(int socket) : socket_(socket) {}
  Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  Channel& operator=(Channel&& other) noexcept;
  ~Channel();

  // Both ends; the second is for another process, which inherits it as a file descriptor.
  static Expected<std::pair<Channel, Channel>> make();

  // Fail when the other end is closed: its process has ended. A fault of the message itself is one
  // of the sender.
  Status send(const Json& message) const;
  // Waits for a message; without a time-out, for ever.
  Expected<Json> receive(std::optional<std::chrono::milliseconds> timeout = {}) const;

  int descriptor() const { return socket_; }

 private:
  Status read_exactly(char* data, std::size_t size,
                      std::optional<std::chrono::steady_clock::time_point> end) const;

  int socket_ = -1;
};

}  // namespace redqueen
