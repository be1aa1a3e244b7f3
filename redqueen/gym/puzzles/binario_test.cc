#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

Lines transposed(const Lines& grid) {
  Lines columns(grid[0].size());
  for (const std::string& row : grid) {
    for (std::size_t i = 0; i < row.size(); ++i) columns[i] += row[i];
  }
  return columns;
}

bool lines_are_right(const Lines& lines, const std::vector<int>& counts) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (std::ranges::count(lines[i], '1') != counts[i]) return false;
    if (lines[i].find("000") != std::string::npos) return false;
    if (lines[i].find("111") != std::string::npos) return false;
  }
  return true;
}

// All fillings of small grids.
TEST(Binario, SolvesWhatKeepsCountsAndRule) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("Binario", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto matrix = parameter["matrix"].get<Lines>();
    for_each_filling(matrix, '*', "01", [&](const Lines& grid) {
      const bool right =
          lines_are_right(grid, parameter["row_counts"].get<std::vector<int>>()) &&
          lines_are_right(transposed(grid), parameter["col_counts"].get<std::vector<int>>());
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 60);
}

TEST(Binario, PlantsGridsOfAnySize) {
  for (const int level : {0, 1, 5, 20, 60}) {
    const auto problem = make_problem("Binario", level, 4);
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(Binario, TellsWhatIsWrong) {
  const auto problem = restore_problem("Binario", R"({
      "N": 3, "M": 3, "row_counts": [2, 1, 1], "col_counts": [1, 1, 2],
      "matrix": ["*1*", "00*", "1**"], "reference_answer": "011\n001\n100"})");
  EXPECT_EQ(problem->score("011\n001\n100").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("011\n000\n101").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("011\n001\n101").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("110\n001\n100").reward, std::pow(4.0 / 6.0, 10));
  EXPECT_EQ(problem->score("001\n001\n100").reward, kInvalidReward);
  EXPECT_EQ(problem->score("011 001 100").reward, kMalformedReward);
  EXPECT_EQ(problem->score("01*\n001\n100").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
