#include <set>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;
using Grid = std::vector<std::vector<int>>;

// Spreads from the first kept cell until nothing changes.
bool is_connected(Lines grid) {
  for (bool found = false; std::string & row : grid) {
    const auto first = row.find('.');
    if (first == std::string::npos || found) continue;
    row[first] = 'o';
    found = true;
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int r = 0; r < std::ssize(grid); ++r) {
      for (int c = 0; c < std::ssize(grid[0]); ++c) {
        const auto reached = [&](int row, int column) {
          return row >= 0 && column >= 0 && row < std::ssize(grid) &&
                 column < std::ssize(grid[0]) && grid[row][column] == 'o';
        };
        if (grid[r][c] == '.' &&
            (reached(r - 1, c) || reached(r + 1, c) || reached(r, c - 1) || reached(r, c + 1))) {
          grid[r][c] = 'o';
          changed = true;
        }
      }
    }
  }
  return std::ranges::none_of(
      grid, [](const std::string& row) { return row.find('.') != std::string::npos; });
}

bool is_right(const Lines& grid, const Grid& matrix) {
  std::set<std::pair<int, int>> in_row;
  std::set<std::pair<int, int>> in_column;
  for (int r = 0; r < std::ssize(grid); ++r) {
    for (int c = 0; c < std::ssize(grid[0]); ++c) {
      if (grid[r][c] == '*') {
        if (r > 0 && grid[r - 1][c] == '*') return false;
        if (c > 0 && grid[r][c - 1] == '*') return false;
      } else if (!in_row.emplace(r, matrix[r][c]).second ||
                 !in_column.emplace(c, matrix[r][c]).second) {
        return false;
      }
    }
  }
  return is_connected(grid);
}

// All sets of black cells on small grids.
TEST(HitoriPuzzle, SolvesWhatKeepsTheRules) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("HitoriPuzzle", 0, seed);
    const auto matrix = problem->parameter()["matrix"].get<Grid>();
    if (matrix.size() * matrix[0].size() > 12) continue;
    const Lines empty(matrix.size(), std::string(matrix[0].size(), '?'));
    for_each_filling(empty, '?', ".*", [&](const Lines& grid) {
      const bool right = is_right(grid, matrix);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 20);
}

TEST(HitoriPuzzle, PlantsWhatKeepsTheRules) {
  for (const int level : {3, 8, 30}) {
    const auto problem = make_problem("HitoriPuzzle", level, 1);
    const std::string reference = problem->reference();
    Lines lines;
    for (const std::string_view line : split_lines(reference)) lines.emplace_back(line);
    EXPECT_TRUE(is_right(lines, problem->parameter()["matrix"].get<Grid>())) << level;
  }
}

TEST(HitoriPuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("HitoriPuzzle", R"({
      "N": 2, "M": 3, "matrix": [[0, 1, 0], [1, 2, 0]], "reference_answer": "..*\n..."})");
  EXPECT_EQ(problem->score("..*\n...").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("...\n...").reward, std::pow(3.0 / 5.0, 10));
  EXPECT_EQ(problem->score("..*\n..*").reward, kInvalidReward);
  EXPECT_EQ(problem->score(".*.\n*..").reward, kInvalidReward);
  EXPECT_EQ(problem->score("..X\n...").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
