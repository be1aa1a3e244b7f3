#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// Chooses a column for one row after another.
void choose(const Matrix& grid, int k, unsigned taken, std::vector<std::int64_t>& chosen,
            std::int64_t& least) {
  if (chosen.size() == grid.size()) {
    std::vector<std::int64_t> sorted = chosen;
    std::ranges::sort(sorted, std::greater());
    least = std::min(least, sorted[k - 1]);
    return;
  }
  for (std::size_t column = 0; column < grid[0].size(); ++column) {
    if ((taken >> column & 1) != 0) continue;
    chosen.push_back(grid[chosen.size()][column]);
    choose(grid, k, taken | 1u << column, chosen, least);
    chosen.pop_back();
  }
}

TEST(MinimumUnconflictedGridKMax, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("MinimumUnconflictedGridKMax", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    std::vector<std::int64_t> chosen;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    choose(parameter["A"].get<Matrix>(), parameter["K"].get<int>(), 0, chosen, least);
    EXPECT_EQ(parameter["gold_answer"], least) << problem->prompt();
  }
}

TEST(MinimumUnconflictedGridKMax, PaysForTheKthLargest) {
  const auto problem =
      restore_problem("MinimumUnconflictedGridKMax",
                      R"({"N": 2, "M": 3, "K": 2, "A": [[4, 2, 6], [8, 1, 5]], "gold_answer": 1})");
  EXPECT_TRUE(problem->score("1 2").solved);
  EXPECT_NEAR(problem->score("2 3").reward, std::pow(0.5, 5), 1e-12);
  EXPECT_EQ(problem->score("2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
