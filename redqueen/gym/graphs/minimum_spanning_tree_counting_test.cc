#include <map>

#include "redqueen/gym/testing/problems.h"
#include "redqueen/gym/testing/spanning_trees.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(MinimumSpanningTreeCounting, CountsWhatTryingAllSetsCounts) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem =
        make_problem("MinimumSpanningTreeCounting", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    if (edges.size() > 16) continue;
    std::map<std::int64_t, std::int64_t> trees;  // by weight
    for_each_edge_set(parameter["N"].get<int>(), edges, 0,
                      [&](const std::vector<List>& chosen, bool tree) {
                        std::int64_t weight = 0;
                        for (const List& edge : chosen) weight += edge[2];
                        if (tree) ++trees[weight];
                      });
    const std::int64_t count = trees.begin()->second % parameter["MOD"].get<std::int64_t>();
    EXPECT_EQ(problem->reference(), std::to_string(count));
  }
}

TEST(MinimumSpanningTreeCounting, TakesEdgesOfOneWeightTogether) {
  // A square of weight 1 has four spanning trees; two edges of weight 5 offer one more choice.
  const auto problem = restore_problem(
      "MinimumSpanningTreeCounting",
      R"({"N": 5, "edges": [[0, 1, 1], [1, 2, 1], [2, 3, 1], [0, 3, 1], [0, 4, 5], [2, 4, 5]],
          "MOD": 7, "reference_answer": 1})");
  EXPECT_TRUE(problem->score("1").solved);
  EXPECT_EQ(problem->score("7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
