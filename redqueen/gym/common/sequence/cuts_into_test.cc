#include "redqueen/gym/common/sequence/cuts_into.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

template <typename Cost>
std::int64_t cost_of(const Numbers& ends, Cost cost) {
  std::int64_t sum = 0;
  std::int64_t before = 0;
  for (const std::int64_t end : ends) {
    EXPECT_LT(before, end);
    sum += cost(static_cast<int>(before), static_cast<int>(end));
    before = end;
  }
  return sum;
}

// Tries every cut.
template <typename Cost>
void expect_cheapest(int n, int runs, Cost cost) {
  const Numbers ends = cheapest_cut_into(n, runs, cost);
  ASSERT_EQ(ends.size(), static_cast<std::size_t>(runs));
  EXPECT_EQ(ends.back(), n);
  std::int64_t best = std::int64_t{1} << 60;
  for (unsigned set = 0; set < 1U << (n - 1); ++set) {
    if (std::popcount(set) != runs - 1) continue;
    Numbers other;
    for (int i = 1; i < n; ++i) {
      if ((set >> (i - 1) & 1) != 0) other.push_back(i);
    }
    other.push_back(n);
    best = std::min(best, cost_of(other, cost));
  }
  EXPECT_EQ(cost_of(ends, cost), best) << n << " places, " << runs << " runs";
}

TEST(CutsInto, AgreeWithAllCuts) {
  Rng rng({.purpose = hash_name("cuts into")});
  for (int round = 0; round < 300; ++round) {
    const int n = static_cast<int>(rng.integer(1, 11));
    const int runs = static_cast<int>(rng.integer(1, n));
    Numbers values(n);
    for (auto& value : values) value = rng.integer(0, 9);
    expect_cheapest(n, runs, [&](int before, int last) {
      std::int64_t sum = 0;
      for (int i = before; i < last; ++i) sum += values[i];
      return sum * sum;
    });
    std::ranges::sort(values);
    expect_cheapest(n, runs, [&](int before, int last) {
      std::int64_t sum = 0;
      for (int i = before; i < last; ++i) sum += std::abs(values[i] - values[(before + last) / 2]);
      return sum;
    });
  }
}

}  // namespace
}  // namespace redqueen
