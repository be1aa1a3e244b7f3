#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Unit by unit along cheapest paths of the residual graph, by relaxing all edges (Bellman, Ford).
std::pair<std::int64_t, std::int64_t> unit_by_unit(int n, const std::vector<List>& edges) {
  List flow(edges.size());
  std::pair<std::int64_t, std::int64_t> total{0, 0};
  while (true) {
    List cost(n, 1'000'000'000);
    std::vector<std::pair<int, int>> last(n, {-1, 0});  // edge, direction
    cost[0] = 0;
    for (int round = 0; round < n; ++round) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto relax = [&](std::int64_t from, std::int64_t to, std::int64_t unit, int way) {
          if (cost[from] + unit >= cost[to]) return;
          cost[to] = cost[from] + unit;
          last[to] = {static_cast<int>(i), way};
        };
        if (flow[i] < edges[i][2]) relax(edges[i][0], edges[i][1], edges[i][3], 1);
        if (flow[i] > 0) relax(edges[i][1], edges[i][0], -edges[i][3], -1);
      }
    }
    if (last[n - 1].first < 0) return total;
    for (std::int64_t v = n - 1; v != 0;) {
      const auto [edge, way] = last[v];
      flow[edge] += way;
      v = way > 0 ? edges[edge][0] : edges[edge][1];
    }
    total.first += 1;
    total.second += cost[n - 1];
  }
}

TEST(MinimumCost_MaximumFlow, AgreesWithSinglePaths) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("MinimumCost_MaximumFlow", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto [flow, cost] =
        unit_by_unit(parameter["N"].get<int>(), parameter["edges"].get<std::vector<List>>());
    EXPECT_EQ(parameter["gold_answer"]["flow"], flow);
    EXPECT_EQ(parameter["gold_answer"]["cost"], cost);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(MinimumCost_MaximumFlow, PaysForFlowAndThenForCost) {
  // Two ways of 0 to 3, with room for 2 and 3, cost 2 and 20 a unit, and an edge across.
  const auto problem = restore_problem("MinimumCost_MaximumFlow",
                                       R"({"N": 4, "edges": [[0, 1, 2, 1], [1, 3, 3, 1],
      [0, 2, 3, 10], [2, 3, 3, 10], [2, 1, 1, 1]], "gold_answer": {"flow": 5, "cost": 56}})");
  EXPECT_TRUE(problem->score("2 3 3 2 1").solved);
  EXPECT_NEAR(problem->score("2 2 3 3 0").reward, 0.5 + 0.5 * std::pow(56.0 / 64.0, 5), 1e-12);
  EXPECT_NEAR(problem->score("2 2 0 0 0").reward, 0.5 * std::pow(0.4, 5), 1e-12);
  EXPECT_EQ(problem->score("0 0 0 0 0").reward, 0.0);
  EXPECT_EQ(problem->score("2 1 0 0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 3 0 0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("-1 -1 0 0 0").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("2 2 3 3").well_formed);
}

}  // namespace
}  // namespace redqueen
