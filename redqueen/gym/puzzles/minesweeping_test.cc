#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;
using Grid = std::vector<std::vector<int>>;

// All sets of mines on grids with few unknown cells.
TEST(Minesweeping, SolvesWhatFitsTheNumbers) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("Minesweeping", static_cast<int>(seed % 2), seed);
    const auto numbers = problem->parameter()["grid"].get<Grid>();
    Lines empty;
    std::ptrdiff_t unknown = 0;
    for (const auto& row : numbers) {
      empty.emplace_back();
      for (const int number : row) empty.back() += number < 0 ? '?' : '.';
      unknown += std::ranges::count(row, -1);
    }
    if (unknown > 12) continue;
    for_each_filling(empty, '?', ".*", [&](const Lines& grid) {
      Grid counts = numbers;
      for (int r = 0; r < std::ssize(grid); ++r) {
        for (int c = 0; c < std::ssize(grid[0]); ++c) {
          if (numbers[r][c] < 0) continue;
          for (int row = 0; row < std::ssize(grid); ++row) {
            for (int column = 0; column < std::ssize(grid[0]); ++column) {
              const bool touches = std::abs(row - r) <= 1 && std::abs(column - c) <= 1;
              counts[r][c] -= touches && grid[row][column] == '*';
            }
          }
        }
      }
      bool right = true;
      for (std::size_t r = 0; r < counts.size(); ++r) {
        for (std::size_t c = 0; c < counts[r].size(); ++c) {
          right = right && counts[r][c] == (numbers[r][c] < 0 ? -1 : 0);
        }
      }
      EXPECT_EQ(problem->score(format_answer(grid)).solved, right) << format_answer(grid);
      solved += right;
    });
  }
  EXPECT_GE(solved, 40);
}

TEST(Minesweeping, TellsWhatIsWrong) {
  const auto problem = restore_problem("Minesweeping", R"({
      "N": 3, "M": 4, "grid": [[-1, 2, -1, 1], [2, 4, -1, 3], [-1, 3, -1, -1]],
      "reference_answer": "*...\n..*.\n*.**"})");
  EXPECT_EQ(problem->score("*...\n..*.\n*.**").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("*...\n..*.\n..**").reward, std::pow(3.0 / 6.0, 10));
  EXPECT_EQ(problem->score("**..\n..*.\n*.**").reward, kInvalidReward);
  EXPECT_EQ(problem->score("*...\n..*.\n*.*").reward, kMalformedReward);
  EXPECT_EQ(problem->score("*...\n..*.\n*.*1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
