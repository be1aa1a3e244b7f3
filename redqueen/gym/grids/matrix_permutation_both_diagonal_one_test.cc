#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<int>>;

TEST(MatrixPermutation_BothDiagonalOne, CountsTheOnesOfEveryPairOfOrders) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = make_problem("MatrixPermutation_BothDiagonalOne", 0, seed);
    const auto matrix = problem->parameter()["A"].get<Matrix>();
    const std::size_t n = matrix.size();
    std::vector<std::int64_t> rows;
    for (std::size_t i = 0; i < n; ++i) rows.push_back(static_cast<std::int64_t>(i));
    int right = 0;
    do {
      std::vector<std::int64_t> columns = rows;
      std::ranges::sort(columns);
      do {
        int ones = 0;
        int cells = 0;
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            if (i != j && i + j != n - 1) continue;
            ++cells;
            ones += matrix[rows[i]][columns[j]];
          }
        }
        const Verdict verdict = problem->score(format_answer(rows) + "\n" + format_answer(columns));
        EXPECT_NEAR(verdict.reward, std::pow(static_cast<double>(ones) / cells, 5), 1e-12);
        right += verdict.solved ? 1 : 0;
      } while (std::ranges::next_permutation(columns).found);
    } while (std::ranges::next_permutation(rows).found);
    EXPECT_GT(right, 0);
  }
}

TEST(MatrixPermutation_BothDiagonalOne, WantsTwoOrders) {
  const auto problem =
      restore_problem("MatrixPermutation_BothDiagonalOne",
                      R"({"N": 2, "A": [[1, 1], [1, 1]], "reference_answer": "0 1\n0 1"})");
  EXPECT_TRUE(problem->score("1 0\n0 1").solved);
  EXPECT_EQ(problem->score("1 1\n0 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 0 0 1").well_formed);
}

}  // namespace
}  // namespace redqueen
