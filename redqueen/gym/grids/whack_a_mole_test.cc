#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

// Hits wherever the first mole that is left demands it; −1 if that fails.
std::int64_t swings_with(Grid grid, std::size_t rows, std::size_t columns) {
  std::int64_t swings = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    for (std::size_t j = 0; j < grid[0].size(); ++j) {
      while (grid[i][j] > 0) {
        if (i + rows > grid.size() || j + columns > grid[0].size()) return -1;
        for (std::size_t a = 0; a < rows; ++a) {
          for (std::size_t b = 0; b < columns; ++b) {
            if (--grid[i + a][j + b] < 0) return -1;
          }
        }
        ++swings;
      }
    }
  }
  return swings;
}

TEST(WhackAMole, AgreesWithSwingingEveryHammer) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("WhackAMole", static_cast<int>(seed % 6), seed);
    const auto grid = problem->parameter()["grid"].get<Grid>();
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t rows = 1; rows <= grid.size(); ++rows) {
      for (std::size_t columns = 1; columns <= grid[0].size(); ++columns) {
        const std::int64_t swings = swings_with(grid, rows, columns);
        if (swings >= 0) least = std::min(least, swings);
      }
    }
    EXPECT_EQ(problem->reference(), std::to_string(least)) << problem->prompt();
  }
}

TEST(WhackAMole, NeedsNoSwingWithoutMoles) {
  const auto problem = restore_problem(
      "WhackAMole", R"({"N": 2, "M": 2, "grid": [[0, 0], [0, 0]], "reference_answer": 0})");
  EXPECT_TRUE(problem->score("0").solved);
}

}  // namespace
}  // namespace redqueen
