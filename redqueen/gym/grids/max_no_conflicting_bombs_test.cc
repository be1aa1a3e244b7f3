#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::string>>;

// Looks from a cell in one direction up to the next wall.
bool sees_bomb(const Grid& grid, int i, int j, int down, int right) {
  const int rows = static_cast<int>(grid.size());
  const int columns = static_cast<int>(grid[0].size());
  for (i += down, j += right; i >= 0 && i < rows && j >= 0 && j < columns; i += down, j += right) {
    if (grid[i][j] == "#") return false;
    if (grid[i][j] == "B") return true;
  }
  return false;
}

int most_by_trying(Grid& grid, std::size_t cell) {
  const std::size_t columns = grid[0].size();
  if (cell == grid.size() * columns) return 0;
  const int i = static_cast<int>(cell / columns);
  const int j = static_cast<int>(cell % columns);
  int most = most_by_trying(grid, cell + 1);
  if (grid[i][j] != "*" || sees_bomb(grid, i, j, -1, 0) || sees_bomb(grid, i, j, 0, -1)) {
    return most;
  }
  grid[i][j] = "B";
  most = std::max(most, 1 + most_by_trying(grid, cell + 1));
  grid[i][j] = "*";
  return most;
}

TEST(MaxNoConflictingBombs, AgreesWithTryingAllPlaces) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("MaxNoConflictingBombs", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    auto grid = parameter["grid"].get<Grid>();
    EXPECT_EQ(parameter["gold_answer"], most_by_trying(grid, 0)) << problem->prompt();
  }
}

TEST(MaxNoConflictingBombs, JudgesTheWholeGrid) {
  const auto problem = restore_problem(
      "MaxNoConflictingBombs",
      R"({"N": 2, "M": 3, "grid": [["*", "#", "*"], ["*", "x", "*"]], "gold_answer": 2})");
  EXPECT_EQ(problem->score("B#B\nBx*").reward, kInvalidReward);
  EXPECT_TRUE(problem->score("B#B\n*x*").solved);
  EXPECT_EQ(problem->score("*#B\n*x*").reward, 0.125);
  EXPECT_EQ(problem->score("B#B\n*B*").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("B#B").well_formed);
}

}  // namespace
}  // namespace redqueen
