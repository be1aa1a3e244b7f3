#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// The diameter by relaxing; 0 of what is no tree.
int diameter(int n, const Edges& edges) {
  constexpr int kFar = 1000;
  std::vector<std::vector<int>> distance(n + 1, std::vector<int>(n + 1, kFar));
  for (int v = 1; v <= n; ++v) distance[v][v] = 0;
  for (const auto& [u, v] : edges) {
    if (u != v) distance[u][v] = distance[v][u] = 1;
  }
  for (int k = 1; k <= n; ++k) {
    for (auto& row : distance) {
      for (int v = 1; v <= n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
    }
  }
  int greatest = 0;
  for (int u = 1; u <= n; ++u) {
    for (int v = 1; v <= n; ++v) greatest = std::max(greatest, distance[u][v]);
  }
  return greatest >= kFar ? 0 : greatest;
}

TEST(TreeChangeOneEdgeDiameter, PaysEveryChangeByItsDiameter) {
  for (const int level : {0, 1, 2, 3, 4, 5, 6}) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const auto problem = make_problem("TreeChangeOneEdgeDiameter", level, seed);
      const Json parameter = problem->parameter();
      const auto edges = parameter["edges"].get<Edges>();
      const int n = parameter["N"];
      const bool minimises = parameter["minimize_or_maximize"] == "minimize";
      int best = minimises ? n : 0;
      std::vector<std::pair<std::string, int>> changes;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        for (int c = 1; c <= n; ++c) {
          for (int d = 1; d <= n; ++d) {
            Edges changed = edges;
            changed[i] = {c, d};
            const int made = diameter(n, changed);
            changes.emplace_back(fmt::format("{} {} {} {}", edges[i].second, edges[i].first, c, d),
                                 made);
            if (made > 0) best = minimises ? std::min(best, made) : std::max(best, made);
          }
        }
      }
      EXPECT_NE(best, diameter(n, edges));
      for (const auto& [answer, made] : changes) {
        const Verdict verdict = problem->score(answer);
        EXPECT_EQ(verdict.solved, made == best) << answer << "\n" << problem->prompt();
        const double share = minimises ? static_cast<double>(best) / std::max(made, 1)
                                       : static_cast<double>(made) / best;
        EXPECT_NEAR(verdict.reward, made == 0 ? kInvalidReward : std::pow(share, 5), 1e-9);
      }
    }
  }
}

TEST(TreeChangeOneEdgeDiameter, RemovesOnlyWhatIsThere) {
  const auto problem = restore_problem("TreeChangeOneEdgeDiameter",
                                       R"({"N": 4, "edges": [[1, 2], [2, 3], [3, 4]],
                                           "minimize_or_maximize": "minimize",
                                           "gold_answer": 2})");
  EXPECT_TRUE(problem->score("4 3 4 2").solved);
  EXPECT_EQ(problem->score("1 3 3 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 2 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("4 3 4").well_formed);
}

}  // namespace
}  // namespace redqueen
