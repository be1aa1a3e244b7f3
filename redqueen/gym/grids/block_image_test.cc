#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Asks for every character which cube is the last to draw there, by looking at all of them.
std::string drawn(const std::vector<std::vector<int>>& heights) {
  const std::vector<std::string> cube{"+---+..", "|   |/.", "|   | +",
                                      "+---+ |", "./   /|", "..+---+"};  // from the lowest line
  const int rows = static_cast<int>(heights.size());
  const int columns = static_cast<int>(heights[0].size());
  const auto look = [&](int line, int column) {
    char seen = '\0';
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        for (int k = 0; k < heights[i][j]; ++k) {
          const int a = line - 2 * (rows - 1 - i) - 3 * k;
          const int b = column - 2 * (rows - 1 - i) - 4 * j;
          if (a >= 0 && a < 6 && b >= 0 && b < 7 && cube[a][b] != '.') seen = cube[a][b];
        }
      }
    }
    return seen;
  };
  const int high = 2 * rows + 30;
  const int wide = 2 * rows + 4 * columns + 20;
  int lines = 0;
  int width = 0;
  for (int line = 0; line < high; ++line) {
    for (int column = 0; column < wide; ++column) {
      if (look(line, column) == '\0') continue;
      lines = std::max(lines, line + 1);
      width = std::max(width, column + 1);
    }
  }
  std::string picture;
  for (int line = lines - 1; line >= 0; --line) {
    for (int column = 0; column < width; ++column) {
      const char seen = look(line, column);
      picture += seen == '\0' ? '.' : seen;
    }
    if (line > 0) picture += '\n';
  }
  return picture;
}

TEST(BlockImage, ShowsTheCubeInFront) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("BlockImage", static_cast<int>(seed % 4), seed);
    EXPECT_EQ(problem->reference(),
              drawn(problem->parameter()["grid"].get<std::vector<std::vector<int>>>()));
  }
}

TEST(BlockImage, JudgesLinesInOrder) {
  const auto problem = restore_problem("BlockImage", R"({"M": 1, "N": 1, "grid": [[1]]})");
  EXPECT_TRUE(problem->score("..+---+\n./   /|\n+---+ |\n|   | +\n|   |/.\n+---+..").solved);
  EXPECT_NEAR(problem->score("..+---+\n./   /|\n+---+ |\n|   | +\n|   |/.\n+---+.+").reward,
              std::pow(41.0 / 42.0, 2), 1e-12);
  EXPECT_EQ(problem->score("..\n..").reward, 0.0);
  EXPECT_EQ(problem->score(".x\n..").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("..\n...").well_formed);
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
