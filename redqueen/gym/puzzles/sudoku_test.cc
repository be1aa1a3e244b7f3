#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Grid = std::vector<std::vector<int>>;

// All completions, cell by cell, each compared with all cells of its row, column and box.
class Completions {
 public:
  Completions(Grid grid, int n, int m) : grid_(std::move(grid)), n_(n), m_(m) { fill(0); }
  const std::vector<Grid>& found() const { return found_; }

 private:
  void fill(int cell) {
    const int side = n_ * m_;
    if (cell == side * side) {
      found_.push_back(grid_);
      return;
    }
    int& here = grid_[cell / side][cell % side];
    const int given = here;
    for (int number = 1; number <= side; ++number) {
      if (given != 0 && number != given) continue;
      here = 0;
      const bool free = !clashes(cell / side, cell % side, number);
      here = number;
      if (free) fill(cell + 1);
    }
    here = given;
  }

  bool clashes(int row, int column, int number) const {
    for (int r = 0; r < n_ * m_; ++r) {
      for (int c = 0; c < n_ * m_; ++c) {
        const bool same_box = r / n_ == row / n_ && c / m_ == column / m_;
        if ((r == row || c == column || same_box) && grid_[r][c] == number) return true;
      }
    }
    return false;
  }

  Grid grid_;
  int n_;
  int m_;
  std::vector<Grid> found_;
};

std::string text_of(const Grid& grid) {
  std::string text;
  for (const auto& row : grid) {
    for (const int number : row) text += std::to_string(number) + " ";
    text += "\n";
  }
  return text;
}

// Every completion of a small grid solves it, and nothing else that differs from one in a single
// cell does.
TEST(Sudoku, AcceptsExactlyTheCompletions) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("Sudoku", 0, seed);
    const Json parameter = problem->parameter();
    const Completions completions(parameter["sudoku"].get<Grid>(), 2, 2);
    ASSERT_FALSE(completions.found().empty());
    std::set<Grid> all(completions.found().begin(), completions.found().end());
    for (const Grid& grid : all) {
      EXPECT_TRUE(problem->score(text_of(grid)).solved);
      Grid spoilt = grid;
      spoilt[seed % 4][seed / 4 % 4] = spoilt[seed % 4][seed / 4 % 4] % 4 + 1;
      EXPECT_FALSE(problem->score(text_of(spoilt)).solved);
    }
  }
}

TEST(Sudoku, HasBoxesThatMayBeWideOrHigh) {
  std::set<std::pair<int, int>> boxes;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Json parameter = make_problem("Sudoku", 1, seed)->parameter();
    boxes.emplace(parameter["N"].get<int>(), parameter["M"].get<int>());
    Grid full;
    const auto reference = parse_int_matrix(parameter["reference_answer"].get<std::string>());
    for (const auto& row : *reference) full.emplace_back(row.begin(), row.end());
    const Completions itself(full, parameter["N"].get<int>(), parameter["M"].get<int>());
    EXPECT_EQ(itself.found().size(), 1u) << parameter.dump();
  }
  EXPECT_EQ(boxes, (std::set<std::pair<int, int>>{{2, 3}, {3, 2}, {3, 3}}));
}

// Rows of a band are no longer shifts of each other.
TEST(Sudoku, HidesThePatternItStartsFrom) {
  int shifted = 0;
  int pairs = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Sudoku", 2, seed);
    const auto grid = *parse_int_matrix(problem->reference());
    std::set<std::int64_t> steps;
    const std::size_t side = grid.size();
    for (std::size_t i = 0; i < side; ++i) {
      const auto place = std::ranges::find(grid[1], grid[0][i]) - grid[1].begin();
      steps.insert((place - static_cast<std::ptrdiff_t>(i) + static_cast<std::ptrdiff_t>(side)) %
                   static_cast<std::ptrdiff_t>(side));
    }
    shifted += steps.size() == 1 ? 1 : 0;
    ++pairs;
  }
  EXPECT_LT(shifted, pairs / 10);
}

TEST(Sudoku, TellsWhatIsWrong) {
  const auto problem = restore_problem("Sudoku", R"({"N": 2, "M": 2, "NM": 4,
      "sudoku": [[0, 0, 1, 0], [0, 0, 2, 0], [0, 3, 0, 1], [1, 4, 0, 2]],
      "reference_answer": "4 2 1 3\n3 1 2 4\n2 3 4 1\n1 4 3 2"})");
  EXPECT_TRUE(problem->score("4 2 1 3\n3 1 2 4\n\n2 3 4 1\n1 4 3 2").solved);
  EXPECT_EQ(problem->score("4 2 1 3\n3 1 2 4\n2 3 4 1\n1 4 3 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 2 1 5\n3 1 2 4\n2 3 4 1\n1 4 3 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 2 1 4\n3 1 2 4\n2 3 4 1\n1 4 3 2").reward, 0.0);
  EXPECT_FALSE(problem->score("4 2 1 3\n3 1 2 4\n2 3 4 1").well_formed);
}

}  // namespace
}  // namespace redqueen
