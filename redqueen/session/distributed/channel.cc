#include "redqueen/session/distributed/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace redqueen {
namespace {

constexpr std::uint64_t kLongest = std::uint64_t{1}
                                   << 36;  // no message is; a wrong length is caught early

}  // namespace

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Channel::~Channel() {
  if (socket_ >= 0) ::close(socket_);
}

Expected<std::pair<Channel, Channel>> Channel::make() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return failure("a connection between processes cannot be made ({})", std::strerror(errno));
  }
  return std::pair(Channel(ends[0]), Channel(ends[1]));
}

Status Channel::send(const Json& message) const {
  const std::vector<std::uint8_t> body = Json::to_cbor(message);
  const std::uint64_t size = body.size();
  std::vector<std::uint8_t> bytes(sizeof(size) + body.size());
  std::memcpy(bytes.data(), &size, sizeof(size));
  std::copy(body.begin(), body.end(), bytes.begin() + sizeof(size));
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("the other process cannot be reached ({})", std::strerror(errno));
    sent += count;
  }
  return {};
}

Status Channel::read_exactly(char* data, std::size_t size,
                             std::optional<std::chrono::steady_clock::time_point> end) const {
  for (std::size_t read = 0; read < size;) {
    if (end) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          *end - std::chrono::steady_clock::now());
      pollfd entry{socket_, POLLIN, 0};
      const int wait = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
      const int ready = ::poll(&entry, 1, wait);
      if (ready == 0 && left.count() <= wait) return failure("the other process does not answer");
      if (ready <= 0) continue;
    }
    const ssize_t count = ::recv(socket_, data + read, size - read, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("the other process cannot be reached ({})", std::strerror(errno));
    if (count == 0) return failure("the other process has ended");
    read += count;
  }
  return {};
}

Expected<Json> Channel::receive(std::optional<std::chrono::milliseconds> timeout) const {
  std::optional<std::chrono::steady_clock::time_point> end;
  if (timeout) end = std::chrono::steady_clock::now() + *timeout;
  std::uint64_t size = 0;
  RETURN_IF_ERROR(read_exactly(reinterpret_cast<char*>(&size), sizeof(size), end));
  if (size > kLongest) return failure("the other process sent a message of {} bytes", size);
  std::vector<std::uint8_t> bytes(size);
  RETURN_IF_ERROR(read_exactly(reinterpret_cast<char*>(bytes.data()), bytes.size(), end));
  try {
    return Json::from_cbor(bytes);
  } catch (const std::exception& error) {  // of the length of an array, some are thrown in any case
    return failure("the other process sent no message: {}", error.what());
  }
}

}  // namespace redqueen
