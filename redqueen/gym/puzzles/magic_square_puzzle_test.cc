#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

bool is_magic(const Grid& grid) {
  const std::int64_t n = std::ssize(grid);
  std::set<std::int64_t> numbers;
  std::set<std::int64_t> sums;
  std::int64_t down = 0;
  std::int64_t up = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t row = 0;
    std::int64_t column = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      numbers.insert(grid[i][j]);
      row += grid[i][j];
      column += grid[j][i];
    }
    sums.insert({row, column});
    down += grid[i][i];
    up += grid[n - 1 - i][i];
  }
  sums.insert({down, up});
  return sums.size() == 1 && std::ssize(numbers) == n * n && *numbers.begin() == 1 &&
         *numbers.rbegin() == n * n;
}

// All orders of the missing numbers, on squares of side 3.
TEST(MagicSquarePuzzle, SolvesMagicSquaresOnly) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("MagicSquarePuzzle", 0, seed);
    const auto given = problem->parameter()["grid"].get<Grid>();
    std::vector<std::int64_t> missing;
    for (std::int64_t number = 1; number <= 9; ++number) {
      const bool is_given = std::ranges::any_of(
          given, [&](const auto& row) { return std::ranges::count(row, number) > 0; });
      if (!is_given) missing.push_back(number);
    }
    if (missing.size() > 7) continue;
    do {
      Grid grid = given;
      auto next = missing.begin();
      for (auto& row : grid) {
        for (std::int64_t& cell : row) {
          if (cell == 0) cell = *next++;
        }
      }
      const bool right = is_magic(grid);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right);
      solved += right;
    } while (std::ranges::next_permutation(missing).found);
  }
  EXPECT_GE(solved, 15);
}

// 8 squares of side 3, 7040 of side 4 if views count.
TEST(MagicSquarePuzzle, PlantsManyMagicSquares) {
  for (const auto& [level, least] : {std::pair{0, 8u}, std::pair{1, 200u}, std::pair{2, 250u},
                                     std::pair{4, 290u}, std::pair{5, 290u}}) {
    std::set<Grid> squares;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const auto problem = make_problem("MagicSquarePuzzle", level, seed);
      const Grid grid = *parse_int_matrix(problem->reference());
      EXPECT_TRUE(is_magic(grid));
      squares.insert(grid);
    }
    EXPECT_GE(squares.size(), least) << level;
  }
  EXPECT_TRUE(is_magic(*parse_int_matrix(make_problem("MagicSquarePuzzle", 40, 1)->reference())));
}

TEST(MagicSquarePuzzle, TellsWhatIsWrong) {
  const auto problem = restore_problem("MagicSquarePuzzle", R"({
      "N": 3, "grid": [[8, 0, 6], [3, 5, 0], [0, 9, 2]],
      "reference_answer": "8 1 6\n3 5 7\n4 9 2"})");
  EXPECT_EQ(problem->score("8 1 6\n3 5 7\n4 9 2").reward, 1.0);
  // The first row, the second column and the diagonal from the first cell are right.
  EXPECT_DOUBLE_EQ(problem->score("8 1 6\n3 5 4\n7 9 2").reward, std::pow(3.0 / 8.0, 10));
  EXPECT_EQ(problem->score("2 1 6\n3 5 7\n4 9 8").reward, kInvalidReward);
  EXPECT_EQ(problem->score("8 1 6\n3 5 7\n7 9 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("8 1 6\n3 5 7").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
