#include <set>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

bool is_right(const Grid& grid, const Json& parameter) {
  std::set<std::int64_t> numbers;
  std::vector<std::int64_t> rows(grid.size());
  std::vector<std::int64_t> columns(grid[0].size());
  for (std::size_t r = 0; r < grid.size(); ++r) {
    for (std::size_t c = 0; c < grid[r].size(); ++c) {
      if (!numbers.insert(grid[r][c]).second) return false;
      rows[r] += grid[r][c];
      columns[c] += grid[r][c];
    }
  }
  return parameter["row_sums"] == rows && parameter["col_sums"] == columns;
}

// All fillings of grids with up to 5 empty cells.
TEST(SurvoPuzzle, SolvesWhatHasTheSums) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SurvoPuzzle", 0, seed);
    const Json parameter = problem->parameter();
    const auto matrix = parameter["matrix"].get<Grid>();
    std::ptrdiff_t empty = 0;
    for (const auto& row : matrix) empty += std::ranges::count(row, -1);
    if (empty > 5) continue;
    const std::int64_t cells = std::ssize(matrix) * std::ssize(matrix[0]);
    for_each_filling(matrix, -1, 0, cells - 1, [&](const Grid& grid) {
      const bool right = is_right(grid, parameter);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 30);
}

TEST(SurvoPuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("SurvoPuzzle", R"({
      "N": 2, "M": 2, "matrix": [[-1, -1], [-1, 3]], "row_sums": [3, 3], "col_sums": [1, 5],
      "reference_answer": "1 2\n0 3"})");
  EXPECT_EQ(problem->score("1 2\n0 3").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("2 1\n0 3").reward, 1.0 / 32.0);
  EXPECT_EQ(problem->score("1 2\n3 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1\n0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2\n0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
