// Frames between the judge and a policy's process, in memory that both have mapped. One side writes
// while the other waits: the judge asks, the policy answers.
//
// Each side has a box, which it alone writes (little-endian; policy_host.py has the other half):
//   u32 count   of the frames so far, modulo 2^32; written last
//   u32 bytes   of this frame
//   the frame
// The judge's box begins at 0 and the policy's at kPolicyBox; from kFlags on, 64 bytes apart:
//   u32 the policy may watch   u32 the policy sleeps   u32 the judge sleeps
//
// The side that waits reads the other's count again and again for a quarter of a millisecond
// (`watching`), then says that it sleeps and reads the socket, on which the other sends the byte
// '!' for a sleeper. On a core that both share nobody watches: every frame comes with its '!'.
//
// The policy is hostile. It can write anything anywhere at any time; what it does to the flags only
// makes it wait. A frame of the policy's is copied, within bounds that are read once, before it is
// looked at.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace redqueen::arena {

class SharedFrames {
 public:
  static constexpr std::size_t kMostAsked = (1U << 20) - 8;   // bytes of a frame of the judge's
  static constexpr std::size_t kMostAnswered = (160U << 10);  // and of the policy's

  enum class Arrival : std::uint8_t {
    kFrame,
    kTimeout,   // nothing within the time
    kEnded,     // the policy's process is gone
    kTooLong,   // a frame of more than kMostAnswered
    kNonsense,  // an empty frame, or other bytes on the socket
  };

  // The descriptors of a channel of the sandbox, which must stay open. Without `memory` (−1, or one
  // that cannot be mapped) nothing arrives.
  SharedFrames(int memory, int socket);
  ~SharedFrames();
  SharedFrames(const SharedFrames&) = delete;
  SharedFrames& operator=(const SharedFrames&) = delete;

  // Sets whether both sides watch for each other's frames, as they may where each has its own core.
  // Called between two episodes only.
  void set_watching(bool watching);

  // False: the frame is longer than kMostAsked.
  bool send(std::string_view frame);

  // Waits for the policy's next frame, for at most `seconds`; frame() has it then.
  Arrival receive(double seconds);
  [[nodiscard]] std::string_view frame() const { return {copy_.data(), size_}; }

 private:
  using Word = std::atomic<std::uint32_t>;
  [[nodiscard]] Word& word(std::size_t offset) const;
  [[nodiscard]] bool arrived() const;
  bool watch() const;
  Arrival sleep(double seconds);
  Arrival take();

  char* memory_ = nullptr;
  int socket_;
  bool watching_ = false;
  std::uint32_t asked_ = 0;     // frames of the judge's
  std::uint32_t answered_ = 0;  // of the policy's that were taken
  double limit_ = 0;            // seconds that the socket waits
  std::size_t size_ = 0;
  std::vector<char> copy_;  // kMostAnswered
};

}  // namespace redqueen::arena
