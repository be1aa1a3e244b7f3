#include <algorithm>
#include <functional>
#include <limits>

#include "redqueen/gym/testing/problems.h"
#include "redqueen/gym/testing/spanning_trees.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// What the edges of a tree cost from a vertex on, `depth` edges away from the root.
double cost_from(const std::vector<List>& tree, std::int64_t at, std::int64_t before, int depth) {
  double cost = 0;
  for (const List& edge : tree) {
    for (const int end : {0, 1}) {
      if (edge[end] != at || edge[1 - end] == before) continue;
      cost += static_cast<double>(edge[2]) * (depth + 1);
      cost += cost_from(tree, edge[1 - end], at, depth + 1);
    }
  }
  return cost;
}

TEST(MinimumWeightedSpanningTree, PaysEachTreeByTheCheapest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem =
        make_problem("MinimumWeightedSpanningTree", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto n = parameter["N"].get<int>();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    if (edges.size() > 14) continue;
    double least = std::numeric_limits<double>::max();
    std::vector<std::pair<std::string, double>> trees;
    for_each_edge_set(n, edges, 0, [&](const std::vector<List>& chosen, bool tree) {
      for (int root = 0; root < n; ++root) {
        const std::string text = std::to_string(root) + " " + format_answer(turned_ends(chosen));
        if (!tree) {
          EXPECT_EQ(problem->score(text).reward, kInvalidReward);
          continue;
        }
        trees.emplace_back(text, cost_from(chosen, root, -1, 0));
        least = std::min(least, trees.back().second);
      }
    });
    for (const auto& [text, cost] : trees) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(least / cost, 5), 1e-9);
      EXPECT_EQ(verdict.solved, cost == least);
    }
  }
}

TEST(MinimumWeightedSpanningTree, WantsARootAndATree) {
  const auto problem =
      restore_problem("MinimumWeightedSpanningTree",
                      R"({"N": 3, "edges": [[0, 1, 1], [1, 2, 2], [0, 2, 9]], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("1 2 1 1 0").solved);
  EXPECT_NEAR(problem->score("0 0 1 1 2").reward, std::pow(0.6, 5), 1e-12);
  EXPECT_EQ(problem->score("3 0 1 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 0 1 1").well_formed);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
