#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen::skyscraper_sum_puzzle_test {
namespace {

using Grid = std::vector<std::vector<int>>;

// Compares each building with all before it.
int clue(const std::vector<int>& line) {
  int total = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_seen = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(i),
                                     [&](int before) { return before < line[i]; });
    if (is_seen) total += line[i];
  }
  return total;
}

// All Latin squares with such a side, made of permutations by rows.
std::vector<Grid> latin_squares(int n) {
  std::vector<int> order;
  for (int i = 0; i < n; ++i) order.push_back(i);
  std::vector<Grid> grids{{}};
  for (int row = 0; row < n; ++row) {
    std::vector<Grid> longer;
    for (const Grid& grid : grids) {
      do {
        const bool fits = std::ranges::all_of(grid, [&](const std::vector<int>& other) {
          return std::ranges::equal(other, order, std::ranges::not_equal_to());
        });
        if (!fits) continue;
        longer.push_back(grid);
        longer.back().push_back(order);
      } while (std::ranges::next_permutation(order).found);
    }
    grids = std::move(longer);
  }
  return grids;
}

bool has_clues(const Grid& grid, const Json& parameter) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    std::vector<int> row = grid[i];
    std::vector<int> column;
    for (const auto& other : grid) column.push_back(other[i]);
    if (clue(row) != parameter["left"][i] || clue(column) != parameter["top"][i]) return false;
    std::ranges::reverse(row);
    std::ranges::reverse(column);
    if (clue(row) != parameter["right"][i] || clue(column) != parameter["bottom"][i]) return false;
  }
  return true;
}

std::string text_of(const Grid& grid) {
  std::string text;
  for (const auto& row : grid) text += format_answer(row) + "\n";
  return text;
}

TEST(SkyscraperSumPuzzle, SolvesSquaresThatHaveTheSums) {
  const std::vector<std::vector<Grid>> squares{latin_squares(3), latin_squares(4)};
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("SkyscraperSumPuzzle", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    for (const Grid& grid : squares[seed % 2]) {
      const bool right = has_clues(grid, parameter);
      EXPECT_EQ(problem->score(text_of(grid)).solved, right) << text_of(grid);
      solved += right;
    }
  }
  EXPECT_GE(solved, 20);
}

TEST(SkyscraperSumPuzzle, TellsWhatIsWrong) {
  const auto problem = make_problem("SkyscraperSumPuzzle", 0, 1);
  EXPECT_EQ(problem->score("0 1 2\n0 1 2\n0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 3\n2 3 1\n3 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n1 2 0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen::skyscraper_sum_puzzle_test
