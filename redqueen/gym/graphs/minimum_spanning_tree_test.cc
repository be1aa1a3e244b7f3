#include <algorithm>

#include "redqueen/gym/testing/problems.h"
#include "redqueen/gym/testing/spanning_trees.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(MinimumSpanningTree, PaysEachSetOfEdgesByTheLightestTree) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("MinimumSpanningTree", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    double least = 1e9;
    std::vector<std::pair<std::string, double>> trees;
    for_each_edge_set(parameter["N"].get<int>(), parameter["edges"].get<std::vector<List>>(), 0,
                      [&](const std::vector<List>& chosen, bool tree) {
                        const std::string text = format_answer(turned_ends(chosen));
                        if (!tree) {
                          EXPECT_EQ(problem->score(text).reward, kInvalidReward);
                          return;
                        }
                        double weight = 0;
                        for (const List& edge : chosen) weight += static_cast<double>(edge[2]);
                        trees.emplace_back(text, weight);
                        least = std::min(least, weight);
                      });
    for (const auto& [text, weight] : trees) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(least / weight, 5), 1e-9);
      EXPECT_EQ(verdict.solved, weight == least);
    }
  }
}

TEST(MinimumSpanningTree, WantsATreeOfEdges) {
  const auto problem = restore_problem(
      "MinimumSpanningTree",
      R"({"N": 4, "edges": [[0, 1, 1], [1, 2, 2], [2, 3, 3], [0, 3, 9]], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("3 2 1 2 0 1").solved);
  EXPECT_EQ(problem->score("0 1 0 1 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2 0 1 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 1 2").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 1 1 2 3").well_formed);
}

}  // namespace
}  // namespace redqueen
