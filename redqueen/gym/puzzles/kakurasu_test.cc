#include "redqueen/gym/testing/fillings.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Lines = std::vector<std::string>;

// All grids of up to 4 rows and 4 columns.
TEST(Kakurasu, SolvesWhatHasTheSums) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("Kakurasu", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<int>>();
    const auto b = parameter["B"].get<std::vector<int>>();
    for_each_filling(
        Lines(a.size(), std::string(b.size(), '?')), '?', "01", [&](const Lines& grid) {
          std::vector<int> left = a;
          std::vector<int> below = b;
          for (std::size_t i = 1; i <= a.size(); ++i) {
            for (std::size_t j = 1; j <= b.size(); ++j) {
              if (grid[i - 1][j - 1] == '0') continue;
              left[i - 1] -= static_cast<int>(j);
              below[j - 1] -= static_cast<int>(i);
            }
          }
          const bool right =
              left == std::vector<int>(a.size()) && below == std::vector<int>(b.size());
          EXPECT_EQ(problem->score(format_answer(grid)).solved, right);
          solved += right;
        });
  }
  EXPECT_GE(solved, 20);
}

TEST(Kakurasu, PaysLinesThatAreRight) {
  const auto problem = restore_problem("Kakurasu", R"({
      "N": 2, "M": 3, "A": [2, 4], "B": [2, 1, 2], "reference_answer": "010\n101"})");
  EXPECT_EQ(problem->score("010\n101").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("010\n100").reward, std::pow(3.0 / 5.0, 10));
  EXPECT_EQ(problem->score("010\n10").reward, kMalformedReward);
  EXPECT_EQ(problem->score("010\n102").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
