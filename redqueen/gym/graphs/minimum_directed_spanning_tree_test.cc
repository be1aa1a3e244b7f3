#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Every choice of an edge into each vertex but the root.
struct Choices {
  const std::vector<List>& edges;
  std::int64_t n;
  std::int64_t root;
  List parent = List(static_cast<std::size_t>(n), -1);
  List answer;
  double least = 1e9;
  std::vector<std::pair<std::string, double>> trees;

  // Whether the way up from each vertex ends at the root.
  bool is_tree() const {
    for (std::int64_t v = 0; v < n; ++v) {
      std::int64_t at = v;
      for (std::int64_t step = 0; step < n && at != root; ++step) at = parent[at];
      if (at != root) return false;
    }
    return true;
  }

  void choose(std::int64_t v, double weight) {
    if (v == n) {
      if (!is_tree()) return;
      trees.emplace_back(format_answer(answer), weight);
      least = std::min(least, weight);
      return;
    }
    if (v == root) return choose(v + 1, weight);
    for (const List& edge : edges) {
      if (edge[1] != v) continue;
      parent[v] = edge[0];
      answer.insert(answer.end(), {edge[0], v});
      choose(v + 1, weight + static_cast<double>(edge[2]));
      answer.resize(answer.size() - 2);
    }
  }
};

TEST(MinimumDirectedSpanningTree, PaysEachTreeByTheLightest) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("MinimumDirectedSpanningTree", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    Choices choices{edges, parameter["N"].get<std::int64_t>(),
                    parameter["root"].get<std::int64_t>()};
    choices.choose(0, 0);
    for (const auto& [text, weight] : choices.trees) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(choices.least / weight, 5), 1e-9);
      EXPECT_EQ(verdict.solved, weight == choices.least);
    }
  }
}

TEST(MinimumDirectedSpanningTree, GoesAlongDirections) {
  const auto problem = restore_problem(
      "MinimumDirectedSpanningTree",
      R"({"N": 3, "edges": [[0, 1, 9], [0, 2, 8], [1, 2, 1], [2, 1, 1], [1, 0, 1]], "root": 0,
          "gold_answer": 9})");
  EXPECT_TRUE(problem->score("2 1 0 2").solved);
  EXPECT_NEAR(problem->score("0 1 1 2").reward, std::pow(0.9, 5), 1e-12);
  EXPECT_EQ(problem->score("1 2 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 0 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
