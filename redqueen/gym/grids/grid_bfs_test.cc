#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::string>>;
using Matrix = std::vector<std::vector<std::int64_t>>;

// A cell that is one step further than a neighbour, over and over until nothing changes.
Matrix by_relaxation(const Grid& grid) {
  constexpr std::int64_t kFar = 1'000'000;
  const int rows = static_cast<int>(grid.size());
  const int columns = static_cast<int>(grid[0].size());
  Matrix steps(grid.size(), std::vector<std::int64_t>(grid[0].size(), kFar));
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        if (grid[i][j] == "X") continue;
        std::int64_t least = grid[i][j] == "1" ? 0 : steps[i][j];
        if (i > 0) least = std::min(least, steps[i - 1][j] + 1);
        if (j > 0) least = std::min(least, steps[i][j - 1] + 1);
        if (i + 1 < rows) least = std::min(least, steps[i + 1][j] + 1);
        if (j + 1 < columns) least = std::min(least, steps[i][j + 1] + 1);
        changed |= least < steps[i][j];
        steps[i][j] = least;
      }
    }
  }
  for (auto& row : steps) {
    for (std::int64_t& value : row) value = value >= kFar ? -1 : value;
  }
  return steps;
}

TEST(GridBFS, AgreesWithRelaxation) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("GridBFS", static_cast<int>(seed % 9), seed);
    EXPECT_EQ(problem->reference(),
              format_answer(by_relaxation(problem->parameter()["grid"].get<Grid>())))
        << problem->prompt();
  }
}

TEST(GridBFS, PaysForCellsAndRefusesOtherShapes) {
  const auto problem =
      restore_problem("GridBFS", R"({"N": 2, "M": 2, "grid": [["1", "X"], ["0", "0"]]})");
  EXPECT_TRUE(problem->score("0 -1\n1 2").solved);
  EXPECT_NEAR(problem->score("0 -1\n1 1").reward, std::pow(0.75, 10), 1e-12);
  EXPECT_FALSE(problem->score("0 -1 1 2").well_formed);
  EXPECT_FALSE(problem->score("0 -1\n1 2\n0 0").well_formed);
}

}  // namespace
}  // namespace redqueen
