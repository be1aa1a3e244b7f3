#include <algorithm>
#include <bit>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Intervals = std::vector<std::tuple<int, int, std::int64_t>>;

// Tries every set of points.
std::int64_t least_price(const Intervals& intervals, int n, int k) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set) {
    if (std::popcount(set) != k) continue;
    std::int64_t sum = 0;
    std::uint32_t covered = 0;
    for (const auto& [left, right, price] : intervals) {
      const std::uint32_t held = ((2u << (right - left)) - 1) << (left - 1);
      covered |= held;
      if ((held & set) != 0) sum += price;
    }
    if ((set & ~covered) == 0) least = std::min(least, sum);
  }
  return least;
}

TEST(MinimumDominatingInterval, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("Minimum_DominatingInterval", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_price(parameter["intervals"].get<Intervals>(), parameter["N"], parameter["K"]))
        << problem->prompt();
  }
}

// Few intervals, so that many points are in none.
TEST(MinimumDominatingInterval, ChoosesNoPointOutsideAllIntervals) {
  const Environment& environment = *Registry::native().find("Minimum_DominatingInterval");
  Rng rng({.purpose = hash_name("dominating interval")});
  for (int round = 0; round < 100; ++round) {
    const int n = 8;
    Intervals intervals;
    const std::int64_t m = rng.integer(1, 4);
    for (std::int64_t i = 0; i < m; ++i) {
      const std::int64_t left = rng.integer(1, n);
      intervals.emplace_back(left, rng.integer(left, std::min<std::int64_t>(n, left + 2)),
                             rng.integer(1, 9));
    }
    for (int k = 1; k <= n; ++k) {
      const std::int64_t least = least_price(intervals, n, k);
      const auto problem = environment.restore(
          {{"N", n}, {"M", m}, {"intervals", intervals}, {"K", k}, {"gold_answer", least}});
      ASSERT_EQ(problem.has_value(), least != std::numeric_limits<std::int64_t>::max());
      if (!problem) continue;
      EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
    }
  }
}

TEST(MinimumDominatingInterval, PaysByThePrice) {
  const auto problem =
      restore_problem("Minimum_DominatingInterval",
                      R"({"N": 4, "M": 3, "K": 2, "intervals": [[1, 2, 5], [2, 2, 1], [4, 4, 3]],
          "gold_answer": 6})");
  EXPECT_TRUE(problem->score("2 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 4").reward, std::pow(6.0 / 8.0, 5));
  for (const char* answer : {"", "1", "1 1", "1 3", "1 2 4", "0 1", "1 5"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
