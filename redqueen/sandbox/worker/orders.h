// The messages between broker and warm parent: records of fixed size on a socket that keeps their
// boundaries. They name slots and numbers only, so that no byte of a job can reach the process that
// forks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace redqueen::sandbox::worker {

// The descriptors of a child: three files in memory for stdin, stdout and stderr, and its socket to
// the broker. They outlive the child and serve the next one. Where children have folders there are
// two more, a socket and a file in memory for a channel (channel_sandbox.h); a slot whose child was
// given them is not used again.
struct ChildFiles {
  int in = -1;
  int out = -1;
  int err = -1;
  int control = -1;
  int channel = -1;
  int memory = -1;
};
inline constexpr std::size_t kPlainFiles = 4;
inline constexpr std::size_t kMostFiles = 6;
static_assert(sizeof(ChildFiles) == kMostFiles * sizeof(int));

inline constexpr std::uint32_t kMaxSlots = 4096;  // children at a time, sessions included

struct Order {
  enum class Kind : std::uint32_t {
    kSlot,       // brings the descriptors of a slot
    kDropSlot,   // closes them
    kFork,       // a child in the slot; answered by kEnded, however it ends, or kNoProcess
    kEnd,        // kill it, if it lives
    kCpu,        // what it has used; answered by kCpu unless it is dead
    kTimeForks,  // `number` bare forks; answered by as many kForked
  };
  Kind kind = Kind::kFork;
  std::uint32_t slot = 0;
  std::uint64_t number = 0;  // of kCpu: comes back with the answer
};

struct Notice {
  enum class Kind : std::uint32_t { kReady, kEnded, kNoProcess, kCpu, kForked };
  Kind kind = Kind::kReady;
  std::uint32_t slot = 0;
  std::uint64_t number = 0;
  std::int32_t status = 0;  // kEnded: as wait() gives it
  std::uint32_t unused = 0;
  double seconds = 0;            // of CPU; kForked: of the clock
  std::uint64_t peak_bytes = 0;  // kEnded
};

}  // namespace redqueen::sandbox::worker
