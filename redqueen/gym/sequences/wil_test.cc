#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(WIL, KnowsTheBestOfAllPairsOfIntervals) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("WIL", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    const auto n = static_cast<std::int64_t>(a.size());
    std::int64_t longest = 0;
    for (std::int64_t l1 = 0; l1 < n; ++l1) {
      for (std::int64_t r1 = l1; r1 < std::min(n, l1 + parameter["D"].get<std::int64_t>()); ++r1) {
        for (std::int64_t l2 = 0; l2 < n; ++l2) {
          std::int64_t sum = 0;
          for (std::int64_t r2 = l2; r2 < n; ++r2) {
            sum += r2 >= l1 && r2 <= r1 ? 0 : a[r2];
            if (sum <= parameter["P"]) longest = std::max(longest, r2 - l2 + 1);
          }
        }
      }
    }
    EXPECT_EQ(parameter["gold_answer"], longest) << problem->prompt();
  }
}

TEST(WIL, TakesIntervalsWithBothEnds) {
  const auto problem =
      restore_problem("WIL", R"({"N": 5, "A": [3, 4, 1, 9, 4], "D": 1, "P": 5, "gold_answer": 3})");
  EXPECT_TRUE(problem->score("4 4 3 5").solved);
  EXPECT_TRUE(problem->score("4 4 2 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 1 1 2").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("4 5 3 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 4 1 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0 1 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("4 4 3").well_formed);
}

}  // namespace
}  // namespace redqueen
