#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// By relaxing until nothing changes.
Matrix distances(const Json& parameter) {
  const auto n = parameter["N"].get<std::size_t>();
  Matrix distance(n, std::vector<std::int64_t>(n, 1'000'000));
  for (std::size_t v = 0; v < n; ++v) distance[v][v] = 0;
  for (const auto& edge : parameter["edges"]) {
    const auto u = edge[0].get<std::size_t>();
    const auto v = edge[1].get<std::size_t>();
    distance[u][v] = distance[v][u] = edge[2];
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (auto& row : distance) {
      for (std::size_t v = 0; v < n; ++v) row[v] = std::min(row[v], row[k] + distance[k][v]);
    }
  }
  return distance;
}

TEST(TreeCenter, PaysEveryVertexByItsSum) {
  for (int level = 0; level <= 12; level += 2) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("TreeCenter", level, seed);
      const Json parameter = problem->parameter();
      const auto numbers = parameter["C"].get<std::vector<std::int64_t>>();
      std::vector<std::int64_t> sums;
      for (const auto& row : distances(parameter)) {
        sums.push_back(0);
        for (std::size_t i = 0; i < row.size(); ++i) sums.back() += numbers[i] * row[i];
      }
      const std::int64_t least = std::ranges::min(sums);
      for (std::size_t r = 0; r < sums.size(); ++r) {
        const Verdict verdict = problem->score(std::to_string(r));
        EXPECT_EQ(verdict.solved, sums[r] == least);
        EXPECT_NEAR(verdict.reward,
                    std::pow(static_cast<double>(least) / static_cast<double>(sums[r]), 8), 1e-9);
      }
      EXPECT_FALSE(problem->score(std::to_string(sums.size())).well_formed);
      EXPECT_FALSE(problem->score("-1").well_formed);
    }
  }
}

}  // namespace
}  // namespace redqueen
