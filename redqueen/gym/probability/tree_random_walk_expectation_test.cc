#include "redqueen/gym/common/number/testing.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Solves the equations of the walk for every target.
std::int64_t mean_hitting_time(const Json& parameter, const PrimeField& field) {
  const auto n = parameter["N"].get<std::size_t>();
  std::vector<std::vector<std::size_t>> neighbours(n);
  for (const Json& edge : parameter["edges"]) {
    const auto a = edge[0].get<std::size_t>();
    const auto b = edge[1].get<std::size_t>();
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::int64_t sum = 0;
  for (std::size_t target = 0; target < n; ++target) {
    std::vector<std::vector<std::int64_t>> rows(n, std::vector<std::int64_t>(n + 1));
    for (std::size_t v = 0; v < n; ++v) {
      rows[v][v] = 1;
      if (v == target) continue;
      rows[v][n] = 1;
      const std::int64_t share = field.inverse(static_cast<std::int64_t>(neighbours[v].size()));
      for (const std::size_t w : neighbours[v]) rows[v][w] = field.subtract(0, share);
    }
    const auto times = solve_linear_system(field, rows);
    for (const std::int64_t time : times.value()) sum = field.add(sum, time);
  }
  return field.divide(sum, static_cast<std::int64_t>(n * n));
}

TEST(TreeRandomWalkExpectation, AgreesWithTheEquationsOfTheWalk) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("TreeRandomWalkExpectation", static_cast<int>(seed % 10), seed);
    EXPECT_EQ(problem->reference(),
              format_answer(mean_hitting_time(problem->parameter(), PrimeField(998'244'353))));
  }
}

// E(S, T) on a path of three: 16 in all.
TEST(TreeRandomWalkExpectation, CalculatesModuloThePublishedPrime) {
  const auto problem =
      restore_problem("TreeRandomWalkExpectation", R"({"N": 3, "edges": [[0, 1], [1, 2]]})");
  const PrimeField field(998244353);
  EXPECT_EQ(problem->reference(), format_answer(field.divide(16, 9)));
  EXPECT_EQ(problem->score("998244353").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
