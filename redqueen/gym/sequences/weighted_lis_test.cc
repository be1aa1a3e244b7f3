#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(WeightedLIS, KnowsTheHeaviestOfAllChoices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("WeightedLIS", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["arrayA"].get<std::vector<std::int64_t>>();
    const auto b = parameter["arrayB"].get<std::vector<std::int64_t>>();
    std::int64_t heaviest = 0;
    for (std::uint32_t chosen = 0; chosen < 1u << a.size(); ++chosen) {
      std::int64_t weight = 0;
      std::int64_t last = -1;
      for (std::size_t i = 0; i < a.size() && weight >= 0; ++i) {
        if ((chosen >> i & 1) == 0) continue;
        weight = a[i] < last ? -1 : weight + b[i];
        last = a[i];
      }
      heaviest = std::max(heaviest, weight);
    }
    EXPECT_EQ(parameter["gold_answer"], heaviest) << problem->prompt();
  }
}

TEST(WeightedLIS, PaysByWeight) {
  const auto problem = restore_problem(
      "WeightedLIS",
      R"({"N": 4, "arrayA": [2, 2, 1, 3], "arrayB": [2, 1, 4, 2], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("2 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 3").reward, std::pow(5.0 / 6.0, 5));
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("3 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
