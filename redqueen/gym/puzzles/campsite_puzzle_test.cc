#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

bool is_right(const Lines& grid, const Json& parameter) {
  std::vector<int> rows(grid.size());
  std::vector<int> columns(grid[0].size());
  std::vector<std::pair<int, int>> ones;
  for (int r = 0; r < std::ssize(grid); ++r) {
    for (int c = 0; c < std::ssize(grid[r]); ++c) {
      if (grid[r][c] == '0') continue;
      ++rows[r];
      ++columns[c];
      for (const auto& [row, column] : ones) {
        if (std::abs(row - r) + std::abs(column - c) == 1) return false;
      }
      ones.emplace_back(r, c);
    }
  }
  return parameter["row_counts"] == rows && parameter["col_counts"] == columns;
}

// All fillings of small grids.
TEST(CampsitePuzzle, SolvesWhatKeepsCountsAndRule) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("CampsitePuzzle", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    for_each_filling(parameter["matrix"].get<Lines>(), '*', "01", [&](const Lines& grid) {
      const bool right = is_right(grid, parameter);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 60);
}

TEST(CampsitePuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("CampsitePuzzle", R"({
      "N": 2, "M": 3, "row_counts": [1, 1], "col_counts": [1, 0, 1],
      "matrix": ["***", "**1"], "reference_answer": "100\n001"})");
  EXPECT_EQ(problem->score("100\n001").reward, 1.0);
  EXPECT_EQ(problem->score("100\n010").reward, kInvalidReward);
  EXPECT_EQ(problem->score("001\n001").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("000\n001").reward, std::pow(3.0 / 5.0, 10));
  EXPECT_EQ(problem->score("100\n00*").reward, kMalformedReward);
  EXPECT_EQ(problem->score("1 0 0\n0 0 1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
