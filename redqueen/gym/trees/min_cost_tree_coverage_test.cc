#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Marks what is at most `left` edges from `v`.
void spread(const std::vector<List>& edges, std::int64_t v, std::int64_t left, unsigned& covered) {
  covered |= 1u << v;
  if (left == 0) return;
  for (const List& edge : edges) {
    if (edge[0] == v || edge[1] == v) spread(edges, edge[0] + edge[1] - v, left - 1, covered);
  }
}

TEST(MinCostTreeCoverage, JudgesAllSetsOfVertices) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("MinCostTreeCoverage", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto costs = parameter["W"].get<List>();
    unsigned needed = 0;
    for (const auto v : parameter["covered_vertices"].get<List>()) needed |= 1u << v;
    std::vector<unsigned> balls(costs.size());
    for (std::size_t v = 0; v < costs.size(); ++v) {
      spread(edges, static_cast<std::int64_t>(v), parameter["D"].get<std::int64_t>(), balls[v]);
    }
    std::int64_t least = std::int64_t{1} << 40;
    for (unsigned set = 0; set < 1u << costs.size(); ++set) {
      unsigned covered = 0;
      std::int64_t cost = 0;
      List chosen;
      for (std::size_t v = 0; v < costs.size(); ++v) {
        if ((set >> v & 1) == 0) continue;
        covered |= balls[v];
        cost += costs[v];
        chosen.push_back(static_cast<std::int64_t>(v));
      }
      const bool covers = (needed & ~covered) == 0;
      if (covers) least = std::min(least, cost);
      if (set % 7 != 0) continue;
      EXPECT_EQ(problem->score(format_answer(chosen)).reward == -0.2, !covers);
    }
    EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(MinCostTreeCoverage, PaysByTheCost) {
  const auto problem = restore_problem(
      "MinCostTreeCoverage",
      R"({"N": 3, "edges": [[0, 1], [1, 2]], "covered_vertices": [2, 0], "D": 1, "W": [1, 3, 1],
          "gold_answer": 2})");
  EXPECT_TRUE(problem->score("2 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("1").reward, std::pow(2.0 / 3.0, 3));
  EXPECT_EQ(problem->score("0").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
