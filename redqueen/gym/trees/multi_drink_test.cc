#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MultiDrink, CountsTheShortStepsOfEveryOrder) {
  for (int level = 0; level <= 3; ++level) {
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
      const auto problem = make_problem("MultiDrink", level, seed);
      const Json parameter = problem->parameter();
      const int n = parameter["N"];
      std::vector<std::vector<int>> distance(n, std::vector<int>(n, 1000));
      for (const auto& edge : parameter["edges"]) {
        const auto u = edge[0].get<std::size_t>();
        const auto v = edge[1].get<std::size_t>();
        distance[u][v] = distance[v][u] = 1;
      }
      for (int k = 0; k < n; ++k) {
        for (auto& row : distance) {
          for (int v = 0; v < n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
        }
      }
      std::vector<int> order;
      for (int v = 0; v < n; ++v) order.push_back(v);
      int solutions = 0;
      do {
        int near = 0;
        for (int i = 1; i < n; ++i) near += distance[order[i - 1]][order[i]] <= 2;
        const Verdict verdict = problem->score(format_answer(order));
        EXPECT_EQ(verdict.solved, near == n - 1);
        EXPECT_NEAR(verdict.reward, std::pow(static_cast<double>(near) / (n - 1), 5), 1e-9);
        solutions += verdict.solved;
      } while (std::ranges::next_permutation(order).found);
      EXPECT_GT(solutions, 0);
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

TEST(MultiDrink, WantsEveryVertexOnce) {
  const auto problem = make_problem("MultiDrink", 0, 0);
  for (const char* answer : {"0 1 2", "0 1 2 2", "0 1 2 4", "-1 0 1 2", ""}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
