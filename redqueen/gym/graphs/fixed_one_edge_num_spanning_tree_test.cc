#include "redqueen/gym/testing/problems.h"
#include "redqueen/gym/testing/spanning_trees.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(FixedOneEdgeNum_SpanningTree, JudgesAllSetsOfEdges) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem =
        make_problem("FixedOneEdgeNum_SpanningTree", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    if (edges.size() > 16) continue;
    int solutions = 0;
    for_each_edge_set(parameter["N"].get<int>(), edges, 0,
                      [&](const std::vector<List>& chosen, bool tree) {
                        std::int64_t weight = 0;
                        for (const List& edge : chosen) weight += edge[2];
                        const bool right = tree && weight == parameter["K"];
                        EXPECT_EQ(problem->score(format_answer(turned_ends(chosen))).reward,
                                  tree ? exact_reward(right) : kInvalidReward);
                        solutions += right;
                      });
    EXPECT_GE(solutions, 1);
  }
}

TEST(FixedOneEdgeNum_SpanningTree, RefusesWhatNoTreeHas) {
  const Environment& environment = *Registry::native().find("FixedOneEdgeNum_SpanningTree");
  const auto restored = [&](int wanted) {
    Json parameter{{"N", 3}, {"K", wanted}};
    parameter["edges"] = {{0, 1, 1}, {1, 2, 1}, {0, 2, 0}};
    return environment.restore(parameter);
  };
  EXPECT_FALSE(restored(0).has_value());
  ASSERT_TRUE(restored(1).has_value());
  EXPECT_TRUE((*restored(1))->score("2 0 0 1").solved);
  EXPECT_EQ((*restored(1))->score("0 1 1 2").reward, 0.0);
  EXPECT_TRUE((*restored(2))->score("0 1 1 2").solved);
  EXPECT_FALSE(restored(3).has_value());
}

}  // namespace
}  // namespace redqueen
