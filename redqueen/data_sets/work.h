// The work of one verdict, counted so that it has an end.
#pragma once

#include <cstdint>

namespace redqueen::data_sets {

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

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  bool exhausted_ = false;
};

}  // namespace redqueen::data_sets
