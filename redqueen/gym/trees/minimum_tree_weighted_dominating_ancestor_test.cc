#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;
constexpr std::string_view kName = "MinimumTreeWeightedDominatingAncestor";

TEST(MinimumTreeWeightedDominatingAncestor, JudgesAllChoices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem(kName, static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto costs = parameter["C"].get<List>();
    const auto n = parameter["N"].get<int>();
    const auto gold = parameter["gold_answer"].get<std::int64_t>();
    std::int64_t least = std::int64_t{1} << 40;
    for (unsigned set = 0; set < 2u << n; set += 2) {
      if (std::popcount(set) != parameter["K"].get<int>()) continue;
      List chosen;
      std::int64_t cost = 0;
      for (int v = 1; v <= n; ++v) {
        if ((set >> v & 1) != 0) chosen.push_back(v);
        for (int u = v; u != 0 && (set >> u & 1) == 0; u = parameter["parents"][u][0].get<int>()) {
          cost += costs[v] * parameter["parents"][u][1].get<std::int64_t>();
        }
      }
      least = std::min(least, cost);
      EXPECT_EQ(problem->score(format_answer(chosen)).solved, cost == gold);
    }
    EXPECT_EQ(gold, least) << problem->prompt();
  }
}

TEST(MinimumTreeWeightedDominatingAncestor, PaysByTheCost) {
  const auto problem = restore_problem(
      kName,
      R"({"N": 3, "parents": [null, [0, 2], [1, 1], [1, 4]], "C": [0, 1, 1, 1], "K": 2,
          "gold_answer": 1})");
  EXPECT_TRUE(problem->score("3 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 3").reward, std::pow(0.5, 5));
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
