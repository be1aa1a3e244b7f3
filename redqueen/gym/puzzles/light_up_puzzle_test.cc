#include <array>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

constexpr std::array<std::pair<int, int>, 4> kDirections{{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}};

// The bulbs that a cell sees in the four directions, itself not counted.
int bulbs_seen(const Lines& grid, int row, int column) {
  int seen = 0;
  for (const auto& [down, right] : kDirections) {
    int r = row + down;
    int c = column + right;
    while (r >= 0 && c >= 0 && r < std::ssize(grid) && c < std::ssize(grid[0]) &&
           (grid[r][c] == 'W' || grid[r][c] == 'L')) {
      seen += grid[r][c] == 'L';
      r += down;
      c += right;
    }
  }
  return seen;
}

bool is_right(const Lines& grid) {
  for (int r = 0; r < std::ssize(grid); ++r) {
    for (int c = 0; c < std::ssize(grid[0]); ++c) {
      if (grid[r][c] == 'L' && bulbs_seen(grid, r, c) > 0) return false;
      if (grid[r][c] == 'W' && bulbs_seen(grid, r, c) == 0) return false;
      if (grid[r][c] < '0' || grid[r][c] > '4') continue;
      int beside = 0;
      for (const auto& [down, right] : kDirections) {
        const int row = r + down;
        const int column = c + right;
        if (row < 0 || column < 0 || row >= std::ssize(grid) || column >= std::ssize(grid[0]))
          continue;
        beside += grid[row][column] == 'L';
      }
      if (beside != grid[r][c] - '0') return false;
    }
  }
  return true;
}

// All sets of bulbs on small grids.
TEST(LightUpPuzzle, SolvesWhatKeepsTheRules) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("LightUpPuzzle", static_cast<int>(seed % 2), seed);
    const auto open = problem->parameter()["grid"].get<Lines>();
    for_each_filling(open, 'W', "WL", [&](const Lines& grid) {
      const bool right = is_right(grid);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 60);
}

TEST(LightUpPuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("LightUpPuzzle", R"({
      "N": 4, "M": 2, "grid": ["BW", "02", "1W", "01"], "reference_answer": "BL\n02\n1L\n01"})");
  EXPECT_EQ(problem->score("BL\n02\n1L\n01").reward, 1.0);
  EXPECT_EQ(problem->score("BW\n02\n1L\n01").reward, kInvalidReward);
  EXPECT_EQ(problem->score("LL\n02\n1L\n01").reward, kInvalidReward);
  EXPECT_EQ(problem->score("BL\n02\n1L").reward, kMalformedReward);
  EXPECT_EQ(problem->score("BL\n02\n1L\n0L").reward, kInvalidReward);
  const auto open = restore_problem("LightUpPuzzle", R"({
      "N": 2, "M": 2, "grid": ["WW", "2W"], "reference_answer": "LW\n2L"})");
  EXPECT_EQ(open->score("LW\n2L").reward, 1.0);
  EXPECT_EQ(open->score("WL\n2W").reward, 0.0);
  EXPECT_EQ(open->score("LL\n2W").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
