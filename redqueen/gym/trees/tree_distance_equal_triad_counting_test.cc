#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(TreeDistanceEqualTriadCounting, AgreesWithAllTriples) {
  for (const int level : {0, 1, 2, 3, 4, 6, 8, 12, 16}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("Tree_DistanceEqualTriad_Counting", level, seed);
      const Json parameter = problem->parameter();
      const int n = parameter["N"];
      std::vector<std::vector<int>> distance(n + 1, std::vector<int>(n + 1, 1000));
      for (const auto& edge : parameter["edges"]) {
        const auto u = edge[0].get<std::size_t>();
        const auto v = edge[1].get<std::size_t>();
        distance[u][v] = distance[v][u] = 1;
      }
      for (int k = 1; k <= n; ++k) {
        for (auto& row : distance) {
          for (int v = 1; v <= n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
        }
      }
      int count = 0;
      for (int a = 1; a <= n; ++a) {
        for (int b = 1; b < a; ++b) {
          for (int c = 1; c < b; ++c) {
            count += distance[a][b] == distance[b][c] && distance[a][c] == distance[b][c];
          }
        }
      }
      EXPECT_EQ(problem->reference(), std::to_string(count)) << problem->prompt();
      EXPECT_TRUE(count > 0 || n == 4);
    }
  }
}

TEST(TreeDistanceEqualTriadCounting, SpreadsTheCounts) {
  std::map<std::string, int> frequency;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    ++frequency[make_problem("Tree_DistanceEqualTriad_Counting", 10, seed)->reference()];
  }
  EXPECT_GE(frequency.size(), 20u);
  for (const auto& [answer, count] : frequency) EXPECT_LT(count, 60) << answer;
}

}  // namespace
}  // namespace redqueen
