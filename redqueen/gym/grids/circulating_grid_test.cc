#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::string>>;

// Follows the letters from every cell for as many moves as there are cells.
bool comes_back(const std::string& letters, int rows, int columns) {
  const auto next = [&](int cell) {
    int row = cell / columns;
    int column = cell % columns;
    switch (letters[cell]) {
      case 'L':
        column += columns - 1;
        break;
      case 'R':
        column += 1;
        break;
      case 'U':
        row += rows - 1;
        break;
      default:
        row += 1;
    }
    return row % rows * columns + column % columns;
  };
  for (int start = 0; start < rows * columns; ++start) {
    int cell = next(start);
    for (int moves = 1; cell != start; ++moves) {
      if (moves > rows * columns) return false;
      cell = next(cell);
    }
  }
  return true;
}

int fewest_changes(const Grid& grid) {
  const int rows = static_cast<int>(grid.size());
  const int columns = static_cast<int>(grid[0].size());
  std::string letters;
  for (const auto& row : grid) {
    for (const std::string& cell : row) letters += cell;
  }
  int fewest = rows * columns;
  for (int code = 0; code < 1 << (2 * rows * columns); ++code) {
    std::string changed = letters;
    int changes = 0;
    for (int cell = 0; cell < rows * columns; ++cell) {
      changed[cell] = "LRUD"[code >> (2 * cell) & 3];
      changes += changed[cell] != letters[cell] ? 1 : 0;
    }
    if (changes < fewest && comes_back(changed, rows, columns)) fewest = changes;
  }
  return fewest;
}

TEST(CirculatingGrid, AgreesWithAllGrids) {
  int tried = 0;
  for (std::uint64_t seed = 0; tried < 25; ++seed) {
    const auto problem = make_problem("CirculatingGrid", 0, seed);
    const Json parameter = problem->parameter();
    const auto grid = parameter["grid"].get<Grid>();
    if (grid.size() * grid[0].size() > 6) continue;
    ++tried;
    EXPECT_EQ(parameter["gold_answer"], fewest_changes(grid)) << problem->prompt();
  }
}

TEST(CirculatingGrid, AgreesWithAllGridsOfThreeRows) {
  const auto problem = restore_problem(
      "CirculatingGrid",
      R"({"R": 3, "C": 3, "grid": [["R", "U", "R"], ["R", "U", "U"], ["D", "R", "L"]],
          "gold_answer": 3})");
  EXPECT_EQ(fewest_changes(problem->parameter()["grid"].get<Grid>()), 3);
}

TEST(CirculatingGrid, WantsEveryCellToComeBack) {
  const auto problem = restore_problem(
      "CirculatingGrid", R"({"R": 2, "C": 2, "grid": [["R", "R"], ["R", "U"]], "gold_answer": 1})");
  EXPECT_TRUE(problem->score("RR\nRR").solved);
  EXPECT_NEAR(problem->score("LL\nRR").reward, std::pow(1.0 / 3.0, 5), 1e-12);
  EXPECT_EQ(problem->score("RR\nRU").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("RR\nRX").well_formed);
}

}  // namespace
}  // namespace redqueen
