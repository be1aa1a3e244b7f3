#include <functional>
#include <sstream>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::vector<std::string> rows_of(const std::string& board) {
  std::vector<std::string> rows;
  std::istringstream lines(board);
  for (std::string line; lines >> line;) rows.push_back(line);
  return rows;
}

// Compares all pairs of queens.
bool is_peaceful(const std::vector<std::string>& rows) {
  std::vector<std::pair<int, int>> queens;
  for (int row = 0; row < static_cast<int>(rows.size()); ++row) {
    for (int column = 0; column < static_cast<int>(rows.size()); ++column) {
      if (rows[row][column] != 'Q') continue;
      for (const auto& [r, c] : queens) {
        if (r == row || c == column || std::abs(r - row) == std::abs(c - column)) return false;
      }
      queens.emplace_back(row, column);
    }
  }
  return true;
}

// All sets of K empty cells, on small boards.
TEST(QueenPlacement, SolvesPeacefulBoardsOnly) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("QueenPlacement", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const int n = parameter["N"].get<int>();
    std::vector<std::string> rows(n, std::string(n, '.'));
    for (int cell = 0; cell < n * n; ++cell) {
      rows[cell / n][cell % n] = parameter["grid"][cell / n][cell % n].get<std::string>()[0];
    }
    const std::function<void(int, int)> place = [&](int from, int left) {
      if (left == 0) {
        const bool right = is_peaceful(rows);
        EXPECT_EQ(problem->score(format_answer(rows)).solved, right) << problem->prompt();
        solved += right;
        return;
      }
      for (int cell = from; cell < n * n; ++cell) {
        if (rows[cell / n][cell % n] == 'Q') continue;
        rows[cell / n][cell % n] = 'Q';
        place(cell + 1, left - 1);
        rows[cell / n][cell % n] = '.';
      }
    };
    place(0, std::min(3, parameter["K"].get<int>()));
  }
  EXPECT_GE(solved, 12);
}

TEST(QueenPlacement, PlantsPeacefulBoards) {
  for (const int level : {0, 3, 4, 10, 40}) {
    const auto problem = make_problem("QueenPlacement", level, 1);
    EXPECT_TRUE(is_peaceful(rows_of(problem->reference()))) << problem->reference();
  }
}

TEST(QueenPlacement, TellsWhatIsWrong) {
  const auto problem = restore_problem("QueenPlacement", R"({
      "N": 4, "K": 2, "grid": [[".", "Q", ".", "."], [".", ".", ".", "."],
                               ["Q", ".", ".", "."], [".", ".", ".", "."]],
      "reference_answer": ".Q..\n...Q\nQ...\n..Q."})");
  EXPECT_EQ(problem->score(".Q..\n...Q\nQ...\n..Q.").reward, 1.0);
  EXPECT_EQ(problem->score(".Q..\n...Q\nQ...\n....").reward, 0.0);
  EXPECT_EQ(problem->score(".Q..\n...Q\nQ...\n...Q").reward, 0.0);
  EXPECT_EQ(problem->score("..Q.\nQ...\n...Q\n.Q..").reward, kInvalidReward);
  EXPECT_EQ(problem->score(".Q.. ...Q Q... ..Q.").reward, kMalformedReward);
  EXPECT_EQ(problem->score(".Q..\n...Q\nQ...").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
