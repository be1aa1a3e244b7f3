#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Of the elements that a set of bits names.
int longest_non_decreasing(const List& a, unsigned kept) {
  std::vector<int> ending(a.size(), 0);
  int longest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((kept >> i & 1) == 0) continue;
    for (std::size_t j = 0; j < i; ++j) {
      if (a[j] <= a[i]) ending[i] = std::max(ending[i], ending[j]);
    }
    longest = std::max(longest, ++ending[i]);
  }
  return longest;
}

TEST(MinCostReducingLNDS, JudgesAllSetsOfElements) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MinCostReducingLNDS", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<List>();
    const auto b = parameter["B"].get<List>();
    const unsigned all = (1u << a.size()) - 1;
    const int longest = longest_non_decreasing(a, all);
    std::int64_t least = std::int64_t{1} << 40;
    for (unsigned erased = 1; erased <= all; ++erased) {
      List places;
      std::int64_t cost = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if ((erased >> i & 1) == 0) continue;
        places.push_back(static_cast<std::int64_t>(i));
        cost += b[i];
      }
      const bool shorter = longest_non_decreasing(a, all & ~erased) < longest;
      if (shorter) least = std::min(least, cost);
      if (erased % 7 == 0 && !shorter) {
        EXPECT_EQ(problem->score(format_answer(places)).reward, -0.2) << problem->prompt();
      }
    }
    EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(MinCostReducingLNDS, PaysByTheCost) {
  const auto problem = restore_problem(
      "MinCostReducingLNDS", R"({"N": 4, "A": [1, 2, 2, 0], "B": [3, 2, 9, 1], "gold_answer": 2})");
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_DOUBLE_EQ(problem->score("0").reward, std::pow(2.0 / 3.0, 3));
  EXPECT_DOUBLE_EQ(problem->score("3 1").reward, std::pow(2.0 / 3.0, 3));
  EXPECT_EQ(problem->score("3").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
