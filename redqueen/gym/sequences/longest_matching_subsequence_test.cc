#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(LongestMatchingSubsequence, KnowsTheBestOfAllChoices) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem =
        make_problem("Longest_MatchingSubsequence", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    int most = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << a.size(); ++chosen) {
      int place = 0;
      int matches = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if ((chosen >> i & 1) != 0) matches += a[i] == ++place;
      }
      most = std::max(most, matches);
    }
    EXPECT_EQ(parameter["gold_answer"], most) << problem->prompt();
  }
}

TEST(LongestMatchingSubsequence, CountsPlacesFromOne) {
  const auto problem = restore_problem("Longest_MatchingSubsequence",
                                       R"({"N": 4, "A": [3, 1, 4, 3], "gold_answer": 2})");
  EXPECT_TRUE(problem->score("1 2 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("1").reward, std::pow(0.5, 5));
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("2 1 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
