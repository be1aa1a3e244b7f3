#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MaxNonAdjacentKElementSum, KnowsTheBestOfAllChoices) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("Max_NonAdjacent_KElementSum", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    std::int64_t best = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << a.size(); ++chosen) {
      if ((chosen & chosen >> 1) != 0 || std::popcount(chosen) != parameter["K"]) continue;
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < a.size(); ++i) sum += (chosen >> i & 1) * a[i];
      best = std::max(best, sum);
    }
    EXPECT_EQ(parameter["gold_answer"], best) << problem->prompt();
  }
}

TEST(MaxNonAdjacentKElementSum, TakesEverySecondPlaceWhereNothingElseFits) {
  const auto problem = restore_problem(
      "Max_NonAdjacent_KElementSum", R"({"N": 5, "K": 3, "A": [1, 9, 1, 9, 1], "gold_answer": 3})");
  EXPECT_EQ(problem->reference(), "0 2 4");
  EXPECT_TRUE(problem->score("4 0 2").solved);
  EXPECT_EQ(problem->score("0 1 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
