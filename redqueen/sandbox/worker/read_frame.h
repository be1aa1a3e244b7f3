// Frames from a blocking socket, one at a time: what follows a frame stays in the socket.
#pragma once

#include <string>

#include "redqueen/sandbox/wire.h"

namespace redqueen::sandbox::worker {

enum class FrameRead {
  kFrame,
  kEnded,      // nobody is at the other end any more
  kMalformed,  // or longer than wire::kMaxFrameBytes
};

// `frame` points into `bytes`, which is written over.
FrameRead read_frame(int socket, std::string& bytes, wire::Frame& frame);

}  // namespace redqueen::sandbox::worker
