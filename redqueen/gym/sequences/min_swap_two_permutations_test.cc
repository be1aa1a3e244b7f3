#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool holds_a_number_twice(List list) {
  std::ranges::sort(list);
  return std::ranges::adjacent_find(list) != list.end();
}

TEST(MinSwapTwoPermutations, KnowsTheSmallestOfAllSets) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("MinSwapTwoPermutations", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<List>();
    const auto b = parameter["B"].get<List>();
    int fewest = 100;
    for (std::uint32_t chosen = 0; chosen < 1u << a.size(); ++chosen) {
      List new_a = a;
      List new_b = b;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if ((chosen >> i & 1) != 0) std::swap(new_a[i], new_b[i]);
      }
      if (holds_a_number_twice(new_a) || holds_a_number_twice(new_b)) continue;
      fewest = std::min(fewest, std::popcount(chosen));
    }
    EXPECT_EQ(parameter["gold_answer"], fewest) << problem->prompt();
    EXPECT_GE(fewest, 1);
  }
}

TEST(MinSwapTwoPermutations, ExchangesTwiceWhatIsNamedTwice) {
  const auto problem = restore_problem(
      "MinSwapTwoPermutations", R"({"N": 3, "A": [1, 1, 3], "B": [2, 2, 3], "gold_answer": 1})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 1").reward, std::pow(0.5, 5));
  EXPECT_DOUBLE_EQ(problem->score("0 1 1").reward, std::pow(1.0 / 3.0, 5));
  EXPECT_EQ(problem->score("0 0").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
