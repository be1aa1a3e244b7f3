// Choices with the greatest ratio of two sums.
#pragma once

#include <cstdint>

namespace redqueen {

struct RatioSums {
  std::int64_t above = 0;
  std::int64_t below = 1;  // ≥ 1

  // True if the ratio is greater. Products of these sums stay below 2^63.
  bool exceeds(const RatioSums& other) const { return above * other.below > other.above * below; }
  bool equals(const RatioSums& other) const { return above * other.below == other.above * below; }
};

// A choice with the greatest ratio above : below. choose(sums) gives a choice with the greatest
// sums.below · above − sums.above · below; sums_of(choice) gives its sums; `start` are the sums of
// some choice. Every round but the last raises the ratio, faster than linearly: W. Dinkelbach, "On
// nonlinear fractional programming", 1967.
template <typename Choose, typename SumsOf>
auto best_ratio_choice(RatioSums start, Choose choose, SumsOf sums_of) {
  while (true) {
    auto choice = choose(start);
    const RatioSums sums = sums_of(choice);
    if (!sums.exceeds(start)) return choice;
    start = sums;
  }
}

}  // namespace redqueen
