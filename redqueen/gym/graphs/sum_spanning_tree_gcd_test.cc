#include <numeric>

#include "redqueen/gym/testing/problems.h"
#include "redqueen/gym/testing/spanning_trees.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(SumSpanningTreeGCD, AddsUpWhatAllTreesHave) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("SumSpanningTreeGCD", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    if (edges.size() > 16) continue;
    std::int64_t sum = 0;
    for_each_edge_set(parameter["N"].get<int>(), edges, 1,
                      [&](const std::vector<List>& chosen, bool tree) {
                        std::int64_t common = 0;
                        for (const List& edge : chosen) common = std::gcd(common, edge[2]);
                        if (tree) sum += common;
                      });
    EXPECT_EQ(problem->reference(), std::to_string(sum % parameter["MOD"].get<std::int64_t>()));
  }
}

TEST(SumSpanningTreeGCD, KnowsATriangle) {
  // Its trees have the weights 4 6, 4 12 and 6 12.
  const auto problem =
      restore_problem("SumSpanningTreeGCD",
                      R"({"N": 3, "edges": [[1, 2, 4], [2, 3, 6], [1, 3, 12]], "MOD": 1000000007,
          "reference_answer": 12})");
  EXPECT_TRUE(problem->score("12").solved);
  EXPECT_EQ(problem->score("11").reward, 0.0);
  EXPECT_EQ(problem->score("-1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1000000007").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
