#include "redqueen/arena/policies/shared_frames.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "redqueen/arena/policies/socket_limit.h"
#include "redqueen/sandbox/channel_memory.h"

namespace redqueen::arena {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHead = 8;  // of a box: count and bytes
constexpr std::size_t kJudgeBox = 0;
constexpr std::size_t kPolicyBox = 1U << 20;
constexpr std::size_t kFlags = 3U << 19;
constexpr std::size_t kPolicyMayWatch = kFlags;
constexpr std::size_t kPolicySleeps = kFlags + 64;
constexpr std::size_t kJudgeSleeps = kFlags + 128;
static_assert(kFlags + 192 <= sandbox::kChannelMemoryBytes);
static_assert(kPolicyBox + kHead + SharedFrames::kMostAnswered <= kFlags);

// A core that has gone to sleep wakes within some 40 microseconds: who watches for several times as
// long loses little where the other thinks for longer still.
constexpr auto kWatchTime = std::chrono::microseconds(250);

// The policy's Python writes a frame, then its count, in two plain stores. x86 shows them to others
// in this order; elsewhere only the socket does, and nobody watches.
#if defined(__x86_64__)
constexpr bool kStoresStayInOrder = true;
void relax() { __builtin_ia32_pause(); }
#else
constexpr bool kStoresStayInOrder = false;
void relax() {}
#endif

}  // namespace

SharedFrames::SharedFrames(int memory, int socket) : socket_(socket), copy_(kMostAnswered) {
  void* mapped = memory < 0 ? MAP_FAILED
                            : mmap(nullptr, sandbox::kChannelMemoryBytes, PROT_READ | PROT_WRITE,
                                   MAP_SHARED, memory, 0);
  if (mapped != MAP_FAILED) memory_ = static_cast<char*>(mapped);
}

SharedFrames::~SharedFrames() {
  if (memory_ != nullptr) munmap(memory_, sandbox::kChannelMemoryBytes);
}

SharedFrames::Word& SharedFrames::word(std::size_t offset) const {
  static_assert(Word::is_always_lock_free && sizeof(Word) == sizeof(std::uint32_t));
  return *reinterpret_cast<Word*>(memory_ + offset);
}

void SharedFrames::set_watching(bool watching) {
  watching_ = watching && kStoresStayInOrder;
  if (memory_ != nullptr) word(kPolicyMayWatch).store(watching_ ? 1 : 0);
}

bool SharedFrames::send(std::string_view frame) {
  if (frame.size() > kMostAsked) return false;
  if (memory_ == nullptr) return true;  // receive() says what is wrong
  std::memcpy(memory_ + kJudgeBox + kHead, frame.data(), frame.size());
  word(kJudgeBox + 4).store(static_cast<std::uint32_t>(frame.size()), std::memory_order_relaxed);
  word(kJudgeBox).store(++asked_);
  // Sequentially consistent: either this sees that the policy sleeps, or the policy, which looks
  // once more before it does, sees the frame. A socket that is full holds a '!' already.
  if (!watching_ || word(kPolicySleeps).load() != 0) {
    (void)!::send(socket_, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  return true;
}

bool SharedFrames::arrived() const {
  return word(kPolicyBox).load(std::memory_order_acquire) != answered_;
}

bool SharedFrames::watch() const {
  const auto end = Clock::now() + kWatchTime;
  do {
    for (int looks = 0; looks < 64; ++looks) {
      if (arrived()) return true;
      relax();
    }
  } while (Clock::now() < end);
  return false;
}

SharedFrames::Arrival SharedFrames::receive(double seconds) {
  if (memory_ == nullptr) return Arrival::kEnded;
  if (!watching_) return sleep(seconds);
  if (watch()) return take();
  word(kJudgeSleeps).store(1);
  const Arrival arrival = arrived() ? take() : sleep(seconds);
  word(kJudgeSleeps).store(0);
  return arrival;
}

// Until the policy rings and there is a frame, or a '!' is left over from when nobody slept.
SharedFrames::Arrival SharedFrames::sleep(double seconds) {
  const double bounded = bounded_seconds(seconds);
  if (limit_ != bounded) {  // a limit that the kernel keeps costs no call per step
    const timeval limit = socket_limit(bounded);
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    limit_ = bounded;
  }
  const auto end = Clock::now() + std::chrono::duration<double>(bounded);
  for (;;) {
    char byte = 0;
    const ssize_t got = ::recv(socket_, &byte, 1, MSG_TRUNC);
    if (got < 0 && errno == EINTR) continue;
    const bool silent = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (got <= 0 && !silent) return Arrival::kEnded;
    if (got > 1 || (got == 1 && byte != '!')) return Arrival::kNonsense;
    if (arrived()) return take();
    if (silent || Clock::now() >= end) return Arrival::kTimeout;
  }
}

// Copies the frame; from then on nothing that the policy writes changes it.
SharedFrames::Arrival SharedFrames::take() {
  answered_ = word(kPolicyBox).load(std::memory_order_acquire);
  size_ = word(kPolicyBox + 4).load(std::memory_order_relaxed);
  if (size_ == 0) return Arrival::kNonsense;
  if (size_ > kMostAnswered) {
    size_ = 0;
    return Arrival::kTooLong;
  }
  std::memcpy(copy_.data(), memory_ + kPolicyBox + kHead, size_);
  return Arrival::kFrame;
}

}  // namespace redqueen::arena
