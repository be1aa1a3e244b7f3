// The work of one verdict, counted so that it has an end, and the ground on which it stands.
#pragma once

#include <algorithm>
#include <cstdint>

#include "redqueen/base/enum_names.h"

namespace redqueen::data_sets {

// Names the means that decided a verdict; of several, the last in this order.
enum class Ground {
  kText,       // the same words, or others
  kExact,      // rational arithmetic, or the same expression
  kModular,    // equal or not modulo primes that the two texts choose: wrong once in 2^100 or rarer
  kInterval,   // intervals that exclude each other, or are closer than two such values can be
  kTolerance,  // not equal, but as close as the row allows
};
inline constexpr auto kGroundNames = enum_names<Ground>({{"text", Ground::kText},
                                                         {"exact", Ground::kExact},
                                                         {"modular", Ground::kModular},
                                                         {"interval", Ground::kInterval},
                                                         {"tolerance", Ground::kTolerance}});

// Counts the work of a verdict in units of about a nanosecond: one product of two 64-bit words.
// Units are counted before the work is done and do not depend on the machine, so the same answer
// always gets the same verdict. Not thread-safe: each verdict has its own.
class Work {
 public:
  // Ten milliseconds or so.
  static constexpr std::uint64_t kOfAVerdict = 10'000'000;

  explicit Work(std::uint64_t limit = kOfAVerdict) : limit_(limit) {}

  // False where `units` are more than is left. From then on everything is refused.
  bool spend(std::uint64_t units) {
    if (exhausted_ || units > limit_ - used_) {
      exhausted_ = true;
      return false;
    }
    used_ += units;
    return true;
  }

  bool exhausted() const { return exhausted_; }
  std::uint64_t used() const { return used_; }

  // Notes what decided about a part of an answer.
  void stand_on(Ground ground) { ground_ = std::max(ground_, ground); }
  Ground ground() const { return ground_; }
  // Notes that two values could be told neither equal nor different.
  void leave_undecided() { undecided_ = true; }
  bool undecided() const { return undecided_; }

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  bool exhausted_ = false;
  bool undecided_ = false;
  Ground ground_ = Ground::kText;
};

}  // namespace redqueen::data_sets
