#include <algorithm>
#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All paths of a graph, with their weights.
struct Paths {
  const std::vector<List>& edges;
  List path;
  std::vector<std::pair<List, double>> all;

  void extend(double weight) {
    all.emplace_back(path, weight);
    for (const List& edge : edges) {
      if (edge[0] != path.back() || std::ranges::find(path, edge[1]) != path.end()) continue;
      path.push_back(edge[1]);
      extend(weight + static_cast<double>(edge[2]));
      path.pop_back();
    }
  }
};

TEST(LongestPath, PaysEachPathByTheHeaviest) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const auto problem = make_problem("LongestPath", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    Paths paths{edges, {}, {}};
    for (std::int64_t start = 0; start < parameter["N"].get<std::int64_t>(); ++start) {
      paths.path = {start};
      paths.extend(0);
    }
    double greatest = 0;
    for (const auto& [path, weight] : paths.all) greatest = std::max(greatest, weight);
    for (const auto& [path, weight] : paths.all) {
      const Verdict verdict = problem->score(format_answer(path));
      EXPECT_NEAR(verdict.reward, std::pow(weight / greatest, 5), 1e-9);
      EXPECT_EQ(verdict.solved, weight == greatest);
    }
  }
}

// The heaviest path by depth-first search, cut where not even the heaviest edges out of all
// vertices that are left would do.
double search(const std::vector<List>& edges, std::size_t n) {
  List heaviest(n);
  std::vector<List> weight(n, List(n));
  for (const List& edge : edges) {
    weight[edge[0]][edge[1]] = edge[2];
    heaviest[edge[0]] = std::max(heaviest[edge[0]], edge[2]);
  }
  std::int64_t best = 0;
  std::vector<char> visited(n);
  std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t at, std::int64_t sum) {
    best = std::max(best, sum);
    std::int64_t most = sum + heaviest[at];
    for (std::size_t v = 0; v < n; ++v) most += visited[v] != 0 ? 0 : heaviest[v];
    if (most <= best) return;
    for (std::size_t v = 0; v < n; ++v) {
      if (visited[v] != 0 || weight[at][v] == 0) continue;
      visited[v] = 1;
      visit(v, sum + weight[at][v]);
      visited[v] = 0;
    }
  };
  for (std::size_t start = 0; start < n; ++start) {
    visited[start] = 1;
    visit(start, 0);
    visited[start] = 0;
  }
  return static_cast<double>(best);
}

// From 13 vertices on, problems are solved in another way.
TEST(LongestPath, AgreesWithASearchOnManyVertices) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    const auto problem = make_problem("LongestPath", 9, seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(
        parameter["gold_answer"].get<double>(),
        search(parameter["edges"].get<std::vector<List>>(), parameter["N"].get<std::size_t>()));
  }
}

TEST(LongestPath, FollowsDirections) {
  const auto problem = restore_problem(
      "LongestPath", R"({"N": 4, "edges": [[0, 1, 2], [1, 0, 3], [2, 3, 4]], "gold_answer": 4})");
  EXPECT_TRUE(problem->score("2 3").solved);
  EXPECT_EQ(problem->score("3 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0").reward, 0.0);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
