#include "redqueen/sandbox/worker/read_frame.h"

#include <unistd.h>

#include <cerrno>

namespace redqueen::sandbox::worker {
namespace {

// False: the other end is gone.
bool read_exactly(int socket, char* target, std::size_t size) {
  while (size > 0) {
    const ssize_t got = read(socket, target, size);
    if (got <= 0 && !(got < 0 && errno == EINTR)) return false;
    if (got > 0) {
      target += got;
      size -= static_cast<std::size_t>(got);
    }
  }
  return true;
}

}  // namespace

FrameRead read_frame(int socket, std::string& bytes, wire::Frame& frame) {
  bytes.assign(wire::kHeaderBytes, '\0');
  if (!read_exactly(socket, bytes.data(), bytes.size())) return FrameRead::kEnded;
  const std::size_t length = wire::payload_bytes(bytes);
  if (length > wire::kMaxFrameBytes) return FrameRead::kMalformed;
  bytes.resize(wire::kHeaderBytes + length);
  if (!read_exactly(socket, bytes.data() + wire::kHeaderBytes, length)) return FrameRead::kEnded;
  const bool whole = wire::split_frame(bytes, wire::kMaxFrameBytes, frame) == wire::Split::kFrame;
  return whole ? FrameRead::kFrame : FrameRead::kMalformed;
}

}  // namespace redqueen::sandbox::worker
