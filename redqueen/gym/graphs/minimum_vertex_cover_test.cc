#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(Minimum_VertexCover, JudgesAllSetsOfVertices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("Minimum_VertexCover", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto costs = parameter["C"].get<List>();
    std::int64_t least = std::int64_t{1} << 40;
    for (unsigned set = 0; set < 1u << costs.size(); ++set) {
      const bool covers = std::ranges::all_of(
          edges, [&](const List& edge) { return (set >> edge[0] & 1) + (set >> edge[1] & 1) > 0; });
      List chosen;
      std::int64_t cost = 0;
      for (std::size_t v = 0; v < costs.size(); ++v) {
        if ((set >> v & 1) == 0) continue;
        chosen.push_back(static_cast<std::int64_t>(v));
        cost += costs[v];
      }
      if (covers) least = std::min(least, cost);
      if (!covers && set % 5 == 0) {
        EXPECT_EQ(problem->score(format_answer(chosen)).reward, kInvalidReward);
      }
    }
    EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(Minimum_VertexCover, PaysByTheCost) {
  const auto problem = restore_problem(
      "Minimum_VertexCover",
      R"({"N": 4, "edges": [[0, 1], [0, 2], [0, 3]], "C": [5, 2, 2, 2], "gold_answer": 5})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_DOUBLE_EQ(problem->score("3 2 1").reward, std::pow(5.0 / 6.0, 5));
  EXPECT_EQ(problem->score("0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
