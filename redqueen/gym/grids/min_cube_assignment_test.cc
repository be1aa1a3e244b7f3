#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Costs = std::vector<std::vector<std::vector<std::int64_t>>>;

// Gives every cell every value that the cells before it allow.
std::int64_t least_from(const Costs& costs, std::int64_t largest_step, std::size_t place,
                        std::vector<std::int64_t>& values) {
  const std::size_t columns = costs[0].size();
  if (place == costs.size() * columns) return 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max() / 2;
  const auto& here = costs[place / columns][place % columns];
  for (std::size_t value = 0; value < here.size(); ++value) {
    values[place] = static_cast<std::int64_t>(value);
    if (place >= columns && std::abs(values[place] - values[place - columns]) > largest_step)
      continue;
    if (place % columns > 0 && std::abs(values[place] - values[place - 1]) > largest_step) continue;
    least = std::min(least, here[value] + least_from(costs, largest_step, place + 1, values));
  }
  return least;
}

TEST(MinCubeAssignment, AgreesWithAllAssignments) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MinCubeAssignment", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto costs = parameter["costs"].get<Costs>();
    if (costs.size() * costs[0].size() > 9) continue;
    std::vector<std::int64_t> values(costs.size() * costs[0].size());
    EXPECT_EQ(parameter["gold_answer"],
              least_from(costs, parameter["D"].get<std::int64_t>(), 0, values))
        << problem->prompt();
  }
}

TEST(MinCubeAssignment, WantsSmoothValues) {
  const auto problem = restore_problem(
      "MinCubeAssignment",
      R"({"P": 1, "Q": 2, "R": 3, "D": 1, "costs": [[[1, 4, 9], [9, 4, 1]]], "gold_answer": 5})");
  EXPECT_TRUE(problem->score("0 1").solved);
  EXPECT_TRUE(problem->score("1 2").solved);
  EXPECT_NEAR(problem->score("1 1").reward, std::pow(5.0 / 8.0, 5), 1e-12);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0\n1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
