// Frames in memory against a policy's side that is written here a second time, honest and hostile.
#include "redqueen/arena/policies/shared_frames.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "redqueen/base/rng.h"
#include "redqueen/sandbox/channel_memory.h"

namespace redqueen::arena {
namespace {

using Arrival = SharedFrames::Arrival;

// A policy's process: the same memory, mapped once more, and the other end of the socket.
class Peer {
 public:
  Peer() {
    memory_ = memfd_create("test", 0);
    EXPECT_EQ(ftruncate(memory_, sandbox::kChannelMemoryBytes), 0);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_), 0);
    bytes_ = static_cast<char*>(mmap(nullptr, sandbox::kChannelMemoryBytes, PROT_READ | PROT_WRITE,
                                     MAP_SHARED, memory_, 0));
  }
  ~Peer() {
    munmap(bytes_, sandbox::kChannelMemoryBytes);
    leave();
    close(ends_[0]);
    close(memory_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  [[nodiscard]] int memory() const { return memory_; }
  [[nodiscard]] int socket() const { return ends_[0]; }
  [[nodiscard]] char* bytes() const { return bytes_; }
  std::atomic<std::uint32_t>& word(std::size_t offset) const {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(bytes_ + offset);
  }
  void leave() {
    if (ends_[1] >= 0) close(std::exchange(ends_[1], -1));
  }
  void ring(std::string_view bytes = "!") const {
    (void)!::send(ends_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  void tell(std::string_view frame) const {
    std::memcpy(bytes_ + kPolicyBox + 8, frame.data(), frame.size());
    announce(static_cast<std::uint32_t>(frame.size()));
  }
  void announce(std::uint32_t size) const {
    word(kPolicyBox + 4) = size;
    ++word(kPolicyBox);
    if (word(kFlags) == 0 || word(kFlags + 128) != 0) ring();
  }
  // The judge's next frame, slept for.
  std::string hear() {
    word(kFlags + 64) = 1;
    while (word(0) == heard_) {
      char byte = 0;
      if (recv(ends_[1], &byte, 1, 0) <= 0) return {};
    }
    word(kFlags + 64) = 0;
    heard_ = word(0);
    return {bytes_ + 8, word(4)};
  }

 private:
  static constexpr std::size_t kPolicyBox = 1U << 20;
  static constexpr std::size_t kFlags = 3U << 19;
  int memory_ = -1;
  int ends_[2] = {-1, -1};
  char* bytes_ = nullptr;
  std::uint32_t heard_ = 0;
};

std::string random_text(Rng& rng, std::uint64_t most) {
  std::string text(1 + rng.below(most), '\0');
  for (char& each : text) each = static_cast<char>(rng.below(256));
  return text;
}

// Either may be the slower one, so that both are found asleep and awake.
TEST(SharedFrames, CarryWhatIsSaidWatchedOrNot) {
  for (const bool watching : {false, true}) {
    Peer peer;
    SharedFrames frames(peer.memory(), peer.socket());
    frames.set_watching(watching);
    constexpr int kFrames = 400;
    std::thread policy([&] {
      for (int i = 0; i < kFrames; ++i) {
        std::string frame = peer.hear();
        if (i % 50 == 7) usleep(300);
        std::reverse(frame.begin(), frame.end());
        peer.tell(frame);
      }
    });
    Rng rng({.seed = 7});
    for (int i = 0; i < kFrames; ++i) {
      std::string frame = random_text(rng, i % 40 == 3 ? 100'000 : 60);
      ASSERT_TRUE(frames.send(frame));
      if (i % 50 == 31) usleep(300);
      ASSERT_EQ(frames.receive(20), Arrival::kFrame) << i;
      std::reverse(frame.begin(), frame.end());
      ASSERT_EQ(frames.frame(), frame) << i;
    }
    policy.join();
  }
}

TEST(SharedFrames, SayWhyNothingArrives) {
  for (const bool watching : {false, true}) {
    Peer peer;
    SharedFrames frames(peer.memory(), peer.socket());
    frames.set_watching(watching);
    EXPECT_EQ(frames.receive(0.02), Arrival::kTimeout);
    peer.ring();  // and nothing else
    EXPECT_EQ(frames.receive(0.02), Arrival::kTimeout);
    peer.announce(static_cast<std::uint32_t>(SharedFrames::kMostAnswered) + 1);
    EXPECT_EQ(frames.receive(1), Arrival::kTooLong);
    EXPECT_TRUE(frames.frame().empty());
    peer.announce(0);
    EXPECT_EQ(frames.receive(1), Arrival::kNonsense);
    peer.ring("a longer word");
    EXPECT_EQ(frames.receive(1), Arrival::kNonsense);
    peer.leave();
    EXPECT_EQ(frames.receive(1), Arrival::kEnded);
    EXPECT_FALSE(frames.send(std::string(SharedFrames::kMostAsked + 1, 'x')));
  }
  SharedFrames none(-1, -1);
  EXPECT_TRUE(none.send("x"));
  EXPECT_EQ(none.receive(1), Arrival::kEnded);
}

// A policy that writes over everything, without end: the judge gets frames within bounds or a
// reason, and is never kept longer than it said.
TEST(SharedFrames, BearAPolicyThatScribbles) {
  for (const bool watching : {false, true}) {
    Peer peer;
    SharedFrames frames(peer.memory(), peer.socket());
    frames.set_watching(watching);
    std::atomic<bool> enough = false;
    std::thread policy([&] {
      Rng rng({.seed = 11});
      while (!enough) {
        // Numbers of all sizes, in the words that matter.
        const std::size_t places[] = {
            0, 4, 1U << 20, (1U << 20) + 4, 3U << 19, (3U << 19) + 64, (3U << 19) + 128};
        peer.word(places[rng.below(7)]) = static_cast<std::uint32_t>(rng.bits() >> rng.below(64));
        peer.bytes()[rng.below(sandbox::kChannelMemoryBytes)] = static_cast<char>(rng.below(256));
        if (rng.below(3) == 0) peer.ring();
      }
    });
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(frames.send("an observation"));
      const auto begin = std::chrono::steady_clock::now();
      const Arrival arrival = frames.receive(0.05);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
      EXPECT_NE(arrival, Arrival::kEnded);
      EXPECT_LE(frames.frame().size(), SharedFrames::kMostAnswered);
      EXPECT_TRUE(arrival != Arrival::kFrame || !frames.frame().empty());
    }
    enough = true;
    policy.join();
  }
}

// What was taken does not change any more, whatever the policy writes after it.
TEST(SharedFrames, AreCopiedBeforeTheyAreLookedAt) {
  Peer peer;
  SharedFrames frames(peer.memory(), peer.socket());
  peer.tell("ai1");
  ASSERT_EQ(frames.receive(1), Arrival::kFrame);
  peer.tell("xxxxxxxxxxxx");
  EXPECT_EQ(frames.frame(), "ai1");
}

}  // namespace
}  // namespace redqueen::arena
