#include <algorithm>
#include <limits>
#include <queue>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Least weight over all walks, by a search over (visited vertices, current vertex) along single
// edges.
std::int64_t least_weight(const Json& parameter) {
  const auto n = parameter["N"].get<std::size_t>();
  const auto edges = parameter["edges"].get<std::vector<std::array<std::size_t, 3>>>();
  using State = std::tuple<std::int64_t, std::size_t, std::size_t>;  // weight, visited, vertex
  std::priority_queue<State, std::vector<State>, std::greater<>> open;
  std::vector<bool> closed((std::size_t{1} << n) * n);
  for (std::size_t v = 0; v < n; ++v) open.emplace(0, std::size_t{1} << v, v);
  while (!open.empty()) {
    const auto [weight, visited, vertex] = open.top();
    open.pop();
    if (visited == (std::size_t{1} << n) - 1) return weight;
    if (closed[visited * n + vertex]) continue;
    closed[visited * n + vertex] = true;
    for (const auto& [from, to, w] : edges) {
      if (from == vertex) {
        open.emplace(weight + static_cast<std::int64_t>(w), visited | std::size_t{1} << to, to);
      }
    }
  }
  return -1;
}

TEST(HamiltonianPath, AgreesWithASearchOverVisitedSets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("HamiltonianPath", static_cast<int>(seed % 7), seed);
    EXPECT_EQ(problem->parameter()["reference_answer_weight"], least_weight(problem->parameter()));
  }
}

TEST(HamiltonianPath, AllowsVerticesAgainAndCountsThemAgain) {
  const auto problem = restore_problem("HamiltonianPath",
                                       R"({"N": 3, "edges": [[0, 1, 1], [1, 0, 1], [0, 2, 2]],
          "reference_answer": "1 0 2", "reference_answer_weight": 3})");
  EXPECT_TRUE(problem->score("1 0 2").solved);
  EXPECT_NEAR(problem->score("0 1 0 2").reward, std::pow(3.0 / 4.0, 5), 1e-12);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
