#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::vector<std::vector<char>> matrix(int n, const Json& edges) {
  std::vector<std::vector<char>> joined(n, std::vector<char>(n));
  for (const auto& edge : edges) {
    const int u = edge[0].get<int>();
    const int v = edge[1].get<int>();
    joined[u][v] = joined[v][u] = 1;
  }
  return joined;
}

TEST(SubgraphIsomorphism, JudgesAllMaps) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("SubgraphIsomorphism", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const int n1 = parameter["N1"].get<int>();
    const auto small = matrix(n1, parameter["G1_edges"]);
    const auto large = matrix(parameter["N2"].get<int>(), parameter["G2_edges"]);
    List order(large.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      int alike = 0;
      for (int u = 0; u < n1; ++u) {
        for (int v = u + 1; v < n1; ++v) alike += small[u][v] == large[order[u]][order[v]];
      }
      const List map(order.begin(), order.begin() + n1);
      EXPECT_NEAR(problem->score(format_answer(map)).reward,
                  std::pow(2.0 * alike / (n1 * (n1 - 1)), 10), 1e-12);
    } while (std::ranges::next_permutation(order).found);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(SubgraphIsomorphism, WantsDifferentVertices) {
  const auto problem =
      restore_problem("SubgraphIsomorphism",
                      R"({"N2": 4, "G2_edges": [[0, 1], [2, 3]], "N1": 3, "G1_edges": [[1, 2]],
          "reference_answer": "0 2 3"})");
  EXPECT_TRUE(problem->score("1 3 2").solved);
  for (const char* answer : {"0 2 2", "0 2 4", "0 2", "-1 2 3", "0 2 3 1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward);
  }
}

}  // namespace
}  // namespace redqueen
