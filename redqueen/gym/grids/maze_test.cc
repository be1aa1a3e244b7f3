#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Rows = std::vector<std::string>;

// The cells that can be reached with 0, 1, 2 … moves, until the goal is among them.
std::size_t least_moves(const Rows& maze) {
  const std::size_t n = maze.size();
  Rows reached(n, std::string(n, ' '));
  reached[0][0] = '+';
  std::size_t moves = 0;
  for (; reached[n - 1][n - 1] != '+' && moves <= n * n; ++moves) {
    const Rows before = reached;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const bool near =
            (i > 0 && before[i - 1][j] == '+') || (j > 0 && before[i][j - 1] == '+') ||
            (i + 1 < n && before[i + 1][j] == '+') || (j + 1 < n && before[i][j + 1] == '+');
        if (near && maze[i][j] == '.') reached[i][j] = '+';
      }
    }
  }
  return moves;
}

TEST(Maze, FindsTheShortestWay) {
  int detours = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Maze", static_cast<int>(seed % 9), seed);
    const auto maze = problem->parameter()["maze"].get<Rows>();
    EXPECT_EQ(problem->reference().size(), least_moves(maze)) << problem->prompt();
    detours += least_moves(maze) > 2 * (maze.size() - 1);
  }
  EXPECT_GT(detours, 50);
}

TEST(Maze, JudgesTheFirstFault) {
  const auto problem = restore_problem("Maze", R"({"N": 3, "maze": ["..#", "#..", "..."]})");
  EXPECT_TRUE(problem->score("RDRD").solved);
  EXPECT_TRUE(problem->score("RDDR").solved);
  EXPECT_NEAR(problem->score("RLRDRD").reward, std::pow(4.0 / 6.0, 3), 1e-12);
  EXPECT_EQ(problem->score("RD").reward, -0.2);
  EXPECT_EQ(problem->score("RR").reward, kInvalidReward);
  EXPECT_EQ(problem->score("UD").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("R D R D").well_formed);
  EXPECT_FALSE(problem->score("rdrd").well_formed);
}

}  // namespace
}  // namespace redqueen
