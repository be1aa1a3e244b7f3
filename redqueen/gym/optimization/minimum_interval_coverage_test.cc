#include <algorithm>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;
using Intervals = std::vector<std::tuple<int, int, std::int64_t>>;

// Tries every number of times for each interval, up to the greatest need.
std::int64_t least_price(const Intervals& intervals, const List& lack, std::size_t next) {
  const std::int64_t greatest = std::ranges::max(lack);
  if (greatest <= 0) return 0;
  if (next == intervals.size()) return std::numeric_limits<std::int64_t>::max() / 2;
  const auto& [left, right, price] = intervals[next];
  std::int64_t least = std::numeric_limits<std::int64_t>::max() / 2;
  List rest = lack;
  for (std::int64_t times = 0; times <= greatest; ++times) {
    least = std::min(least, times * price + least_price(intervals, rest, next + 1));
    for (int p = left; p <= right; ++p) --rest[p - 1];
  }
  return least;
}

TEST(MinimumIntervalCoverage, AgreesWithAllChoices) {
  const Environment& environment = *Registry::native().find("MinimumIntervalCoverage");
  Rng rng({.purpose = hash_name("interval coverage")});
  for (int round = 0; round < 200; ++round) {
    const auto n = static_cast<int>(rng.integer(1, 5));
    Intervals intervals{{1, n, rng.integer(1, 9)}};
    const std::int64_t m = rng.integer(1, 5);
    while (std::ssize(intervals) < m) {
      const std::int64_t left = rng.integer(1, n);
      intervals.emplace_back(left, rng.integer(left, n), rng.integer(1, 6));
    }
    List needs;
    for (int i = 0; i < n; ++i) needs.push_back(rng.integer(0, 4));
    const std::int64_t least = least_price(intervals, needs, 0);
    Json parameter = {
        {"N", n}, {"M", m}, {"intervals", intervals}, {"NEEDS", needs}, {"gold_answer", least}};
    const auto problem = environment.restore(parameter);
    ASSERT_TRUE(problem.has_value()) << parameter.dump();
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
    parameter["gold_answer"] = least + 1;
    EXPECT_FALSE(environment.restore(parameter).has_value());
  }
}

TEST(MinimumIntervalCoverage, PaysByThePrice) {
  const auto problem = restore_problem("MinimumIntervalCoverage",
                                       R"({"N": 3, "M": 3, "NEEDS": [2, 0, 1], "gold_answer": 5,
                                           "intervals": [[1, 1, 2], [2, 3, 4], [1, 3, 3]]})");
  EXPECT_TRUE(problem->score("1 0 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 0 2").reward, std::pow(5.0 / 6.0, 5));
  EXPECT_GT(problem->score("9223372036854775807 9223372036854775807 9223372036854775807").reward,
            0.0);
  EXPECT_EQ(problem->score("1 0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 0 -1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0").reward, kMalformedReward);
}

TEST(MinimumIntervalCoverage, RefusesANeedThatNoIntervalMeets) {
  const Environment& environment = *Registry::native().find("MinimumIntervalCoverage");
  const auto restored = environment.restore(*parse_json(
      R"({"N": 2, "M": 1, "intervals": [[1, 1, 2]], "NEEDS": [1, 1], "gold_answer": 2})"));
  EXPECT_FALSE(restored.has_value());
}

}  // namespace
}  // namespace redqueen
