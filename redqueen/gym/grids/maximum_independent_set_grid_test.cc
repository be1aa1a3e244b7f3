#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// Row by row, over the sets of marked columns.
std::int64_t by_rows(const Matrix& matrix) {
  const std::size_t columns = matrix[0].size();
  std::vector<std::int64_t> best(std::size_t{1} << columns, -1);
  best[0] = 0;
  for (const auto& row : matrix) {
    std::vector<std::int64_t> next(best.size(), -1);
    for (std::size_t marks = 0; marks < best.size(); ++marks) {
      if ((marks & marks >> 1) != 0) continue;
      std::int64_t sum = 0;
      for (std::size_t j = 0; j < columns; ++j) sum += (marks >> j & 1) != 0 ? row[j] : 0;
      for (std::size_t above = 0; above < best.size(); ++above) {
        if ((above & marks) == 0 && best[above] >= 0) {
          next[marks] = std::max(next[marks], best[above] + sum);
        }
      }
    }
    best = std::move(next);
  }
  return std::ranges::max(best);
}

TEST(MaximumIndependentSetGrid, AgreesWithGoingRowByRow) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem =
        make_problem("MaximumIndependentSetGrid", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"], by_rows(parameter["matrix"].get<Matrix>()))
        << problem->prompt();
  }
}

TEST(MaximumIndependentSetGrid, PaysForTheSum) {
  const auto problem =
      restore_problem("MaximumIndependentSetGrid",
                      R"({"N": 2, "M": 2, "matrix": [[1, 4], [2, 1]], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("01\n10").solved);
  EXPECT_NEAR(problem->score("10\n01").reward, std::pow(2.0 / 6.0, 3), 1e-12);
  EXPECT_EQ(problem->score("00\n00").reward, 0.0);
  EXPECT_EQ(problem->score("11\n00").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 1\n1 0").well_formed);
  EXPECT_FALSE(problem->score("02\n10").well_formed);
}

}  // namespace
}  // namespace redqueen
