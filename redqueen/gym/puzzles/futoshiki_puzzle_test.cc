#include <set>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

bool is_right(const Grid& grid, const Json& inequalities) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::set<std::int64_t> column;
    for (const auto& row : grid) column.insert(row[i]);
    if (column.size() != grid.size()) return false;
    if (std::set(grid[i].begin(), grid[i].end()).size() != grid.size()) return false;
  }
  for (const Json& pair : inequalities) {
    const auto number = [&](int k) {
      return grid[pair[k].get<std::size_t>()][pair[k + 1].get<std::size_t>()];
    };
    if (number(0) >= number(2)) return false;
  }
  return true;
}

// All fillings of grids with up to 8 empty cells.
TEST(FutoshikiPuzzle, SolvesSquaresInOrder) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("FutoshikiPuzzle", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const auto matrix = parameter["matrix"].get<Grid>();
    std::ptrdiff_t empty = 0;
    for (const auto& row : matrix) empty += std::ranges::count(row, -1);
    if (empty > 8) continue;
    for_each_filling(matrix, -1, 0, std::ssize(matrix) - 1, [&](const Grid& grid) {
      const bool right = is_right(grid, parameter["inequalities"]);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 15);
}

TEST(FutoshikiPuzzle, AsksForPairsWithAnEmptyCell) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto problem = make_problem("FutoshikiPuzzle", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto matrix = parameter["matrix"].get<Grid>();
    std::set<Json> seen;
    for (const Json& pair : parameter["inequalities"]) {
      EXPECT_TRUE(matrix[pair[0].get<std::size_t>()][pair[1].get<std::size_t>()] == -1 ||
                  matrix[pair[2].get<std::size_t>()][pair[3].get<std::size_t>()] == -1);
      EXPECT_TRUE(seen.insert(pair).second);
    }
    EXPECT_LE(std::ssize(seen), 2 * std::ssize(matrix));
  }
}

TEST(FutoshikiPuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("FutoshikiPuzzle", R"({
      "N": 3, "matrix": [[0, -1, -1], [-1, -1, -1], [-1, -1, -1]],
      "inequalities": [[2, 2, 0, 2], [0, 1, 1, 1]],
      "reference_answer": "0 1 2\n1 2 0\n2 0 1"})");
  EXPECT_EQ(problem->score("0 1 2\n1 2 0\n2 0 1").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2\n2 0 1\n1 2 0").reward, 1.0 / 32.0);
  EXPECT_EQ(problem->score("1 2 0\n0 1 2\n2 0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n1 2 0\n2 1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n1 2 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
