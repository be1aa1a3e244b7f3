#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

std::int64_t cheapest_of_all_sets(const Matrix& costs) {
  const int rows = static_cast<int>(costs.size());
  const int columns = static_cast<int>(costs[0].size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (unsigned set = 0; set < 1u << (rows * columns); ++set) {
    const auto has = [&](int i, int j) {
      return i >= 0 && i < rows && j >= 0 && j < columns && (set >> (i * columns + j) & 1) != 0;
    };
    std::int64_t cost = 0;
    bool all = true;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        all &= has(i, j) || has(i - 1, j) || has(i + 1, j) || has(i, j - 1) || has(i, j + 1);
        cost += has(i, j) ? costs[i][j] : 0;
      }
    }
    if (all) least = std::min(least, cost);
  }
  return least;
}

TEST(Minimum_DominatingSet_Grid, AgreesWithAllSets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("Minimum_DominatingSet_Grid", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto costs = parameter["F"].get<Matrix>();
    if (costs.size() * costs[0].size() > 16) continue;
    EXPECT_EQ(parameter["gold_answer"], cheapest_of_all_sets(costs)) << problem->prompt();
  }
}

TEST(Minimum_DominatingSet_Grid, JudgesFaultsInOrder) {
  const auto problem = restore_problem(
      "Minimum_DominatingSet_Grid", R"({"N": 2, "M": 2, "F": [[1, 5], [2, 9]], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("2 1\n1 1").solved);
  EXPECT_NEAR(problem->score("1 1\n2 2").reward, std::pow(0.3, 5), 1e-12);
  EXPECT_EQ(problem->score("1 1").reward, -0.2);
  EXPECT_EQ(problem->score("1 1\n1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1\n1 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
