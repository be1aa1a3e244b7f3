#include <algorithm>
#include <bit>
#include <limits>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Every set of places to cut at.
std::int64_t least_of_all_cuts(const std::vector<std::int64_t>& a, int parts) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t cuts = 0; cuts < 1u << (a.size() - 1); ++cuts) {
    if (std::popcount(cuts) != parts - 1) continue;
    std::int64_t greatest = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      sum += a[i];
      greatest = std::max(greatest, sum);
      if ((cuts >> i & 1) != 0) sum = 0;
    }
    least = std::min(least, greatest);
  }
  return least;
}

TEST(MinimumMaxSlicer, KnowsTheBestOfAllCuts) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("Minimum_MaxSlicer", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"],
              least_of_all_cuts(parameter["A"].get<std::vector<std::int64_t>>(),
                                parameter["M"].get<int>()))
        << problem->prompt();
  }
}

TEST(MinimumMaxSlicer, SolvesEveryNumberOfParts) {
  const std::vector<std::int64_t> a{9, 1, 1, 1, 1, 5, 1};
  for (int parts = 1; parts <= 7; ++parts) {
    const auto problem = restore_problem(
        "Minimum_MaxSlicer",
        dump_json(
            Json{{"N", 7}, {"M", parts}, {"A", a}, {"gold_answer", least_of_all_cuts(a, parts)}}));
    EXPECT_TRUE(problem->score(problem->reference()).solved) << parts;
  }
}

TEST(MinimumMaxSlicer, WantsTheLastPlaces) {
  const auto problem = restore_problem("Minimum_MaxSlicer",
                                       R"({"N": 4, "M": 2, "A": [1, 2, 3, 4], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("2 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 3").reward, std::pow(6.0 / 7.0, 3));
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
