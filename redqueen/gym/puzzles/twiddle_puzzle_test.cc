#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(TwiddlePuzzle, TurnsCounterClockwise) {
  const auto problem = restore_problem(
      "TwiddlePuzzle",
      R"({"N": 3, "M": 4, "K": 3, "start_grid": [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]],
          "destination_grid": [[0, 3, 7, 11], [4, 2, 6, 10], [8, 1, 5, 9]],
          "reference_answer": "0 1"})");
  EXPECT_TRUE(problem->score("0 1").solved);
  EXPECT_TRUE(problem->score("0 1\n0 1\n0 1\n0 1\n0 1").solved);
  EXPECT_DOUBLE_EQ(problem->score("").reward, std::pow(4.0 / 12.0, 5));
  EXPECT_EQ(problem->score("1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 -1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 0 1").reward, kMalformedReward);
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "0 1\n";
  EXPECT_EQ(problem->score(many).reward, kInvalidReward);
}

// A grid as one list; the four cells of a block change places in a circle.
TEST(TwiddlePuzzle, AgreesWithCirclesOfFourCells) {
  using List = std::vector<std::int64_t>;
  const auto problem =
      restore_problem("TwiddlePuzzle",
                      R"({"N": 2, "M": 3, "K": 2, "start_grid": [[0, 1, 2], [3, 4, 5]],
          "destination_grid": [[1, 2, 5], [0, 4, 3]], "reference_answer": "0 0\n0 1"})");
  const List destination{1, 2, 5, 0, 4, 3};
  const std::function<void(const std::string&, const List&, int)> play =
      [&](const std::string& turns, const List& grid, int left) {
        std::int64_t matches = 0;
        for (std::size_t i = 0; i < grid.size(); ++i) matches += grid[i] == destination[i];
        EXPECT_NEAR(problem->score(turns).reward, std::pow(static_cast<double>(matches) / 6.0, 5),
                    1e-12)
            << turns;
        for (const std::size_t at : {0u, 1u}) {
          if (left == 0) break;
          List next = grid;
          next[at] = grid[at + 1];
          next[at + 1] = grid[at + 4];
          next[at + 4] = grid[at + 3];
          next[at + 3] = grid[at];
          play(turns + fmt::format("0 {}\n", at), next, left - 1);
        }
      };
  play("", {0, 1, 2, 3, 4, 5}, 7);
}

}  // namespace
}  // namespace redqueen
