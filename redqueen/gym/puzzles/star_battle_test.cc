#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

// Compares all pairs of stars.
bool is_right(const Lines& grid) {
  std::vector<std::pair<int, int>> stars;
  for (int r = 0; r < std::ssize(grid); ++r) {
    for (int c = 0; c < std::ssize(grid[r]); ++c) {
      if (grid[r][c] != '*') continue;
      for (const auto& [row, column] : stars) {
        if (row == r || column == c) return false;
        if (std::abs(row - r) <= 1 && std::abs(column - c) <= 1) return false;
      }
      stars.emplace_back(r, c);
    }
  }
  return stars.size() == grid.size();
}

Lines lines_of(const Json& parameter) {
  Lines lines;
  for (const Json& row : parameter["grid"]) {
    lines.emplace_back();
    for (const Json& cell : row) lines.back() += cell.get<std::string>();
  }
  return lines;
}

// All choices of stars among the free cells.
TEST(StarBattle, SolvesStarsThatKeepApart) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("StarBattle", static_cast<int>(seed % 2), seed);
    const Lines open = lines_of(problem->parameter());
    std::ptrdiff_t free = 0;
    for (const std::string& row : open) free += std::ranges::count(row, '.');
    if (free > 14) continue;
    for_each_filling(open, '.', ".*", [&](const Lines& grid) {
      const bool right = is_right(grid);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 30);
}

TEST(StarBattle, TellsWhatIsWrong) {
  const auto problem = restore_problem("StarBattle", R"({
      "N": 2, "M": 3, "grid": [[".", ".", "."], ["X", ".", "."]],
      "reference_answer": "*..\nX.*"})");
  EXPECT_EQ(problem->score("*..\nX.*").reward, 1.0);
  EXPECT_EQ(problem->score(".*.\nX.*").reward, 0.0);
  EXPECT_EQ(problem->score("..*\nX.*").reward, 0.0);
  EXPECT_EQ(problem->score("*.*\nX..").reward, 0.0);
  EXPECT_EQ(problem->score("..*\n*..").reward, kInvalidReward);
  EXPECT_EQ(problem->score("*.X\nX.*").reward, kInvalidReward);
  EXPECT_EQ(problem->score("*..\nX.o").reward, kMalformedReward);
  EXPECT_EQ(problem->score("*..").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
