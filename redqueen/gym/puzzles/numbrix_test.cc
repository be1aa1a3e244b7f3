#include <map>

#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<std::int64_t>>;

// Follows the numbers from 0.
bool is_path(const Grid& grid) {
  std::map<std::int64_t, std::pair<int, int>> places;
  for (int r = 0; r < std::ssize(grid); ++r) {
    for (int c = 0; c < std::ssize(grid[r]); ++c) places[grid[r][c]] = {r, c};
  }
  const std::int64_t cells = std::ssize(grid) * std::ssize(grid[0]);
  if (std::ssize(places) != cells || places.begin()->first != 0) return false;
  for (std::int64_t number = 1; number < cells; ++number) {
    const auto [r, c] = places[number];
    const auto [row, column] = places[number - 1];
    if (std::abs(r - row) + std::abs(c - column) != 1) return false;
  }
  return true;
}

// All fillings of grids with up to 5 empty cells.
TEST(Numbrix, SolvesPathsOnly) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("Numbrix", 0, seed);
    const auto matrix = problem->parameter()["matrix"].get<Grid>();
    std::ptrdiff_t empty = 0;
    for (const auto& row : matrix) empty += std::ranges::count(row, -1);
    if (empty > 5) continue;
    const std::int64_t cells = std::ssize(matrix) * std::ssize(matrix[0]);
    for_each_filling(matrix, -1, 0, cells - 1, [&](const Grid& grid) {
      const bool right = is_path(grid);
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 30);
}

TEST(Numbrix, PlantsPathsThatStartAnywhereTheyCan) {
  std::map<std::int64_t, int> starts;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Grid grid = *parse_int_matrix(make_problem("Numbrix", 5, seed)->reference());
    EXPECT_TRUE(is_path(grid));
    ++starts[grid[0][0]];
  }
  EXPECT_GT(starts.size(), 20u);
  EXPECT_TRUE(is_path(*parse_int_matrix(make_problem("Numbrix", 50, 1)->reference())));
}

TEST(Numbrix, PaysPathsInFewParts) {
  const auto problem = restore_problem("Numbrix", R"({
      "N": 2, "M": 3, "matrix": [[0, -1, -1], [-1, -1, -1]],
      "reference_answer": "0 1 2\n5 4 3"})");
  EXPECT_EQ(problem->score("0 1 2\n5 4 3").reward, 1.0);
  EXPECT_EQ(problem->score("0 3 4\n1 2 5").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("0 1 2\n3 4 5").reward, 1.0 / 8.0);
  EXPECT_EQ(problem->score("1 0 2\n5 4 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n5 4 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2\n5 4").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
