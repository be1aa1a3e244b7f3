#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<int>>;

Matrix matrix_of_bits(unsigned bits, int n) {
  Matrix matrix(static_cast<std::size_t>(n), std::vector<int>(static_cast<std::size_t>(n)));
  for (int i = 0; i < n * n; ++i) matrix[i / n][i % n] = static_cast<int>(bits >> i & 1);
  return matrix;
}

TEST(MatrixPermutation_MainDiagonalOne, IsSolvableExactlyWhereSomeOrderOfColumnsIsRight) {
  const Environment* found = Registry::native().find("MatrixPermutation_MainDiagonalOne");
  for (unsigned bits = 0; bits < 1u << 9; ++bits) {
    const Matrix matrix = matrix_of_bits(bits, 3);
    std::vector<int> columns{0, 1, 2};
    bool possible = false;
    do {
      possible |= matrix[0][columns[0]] + matrix[1][columns[1]] + matrix[2][columns[2]] == 3;
    } while (std::ranges::next_permutation(columns).found);
    const auto problem = found->restore(Json{{"N", 3}, {"A", matrix}});
    ASSERT_EQ(problem.has_value(), possible);
    if (possible) {
      EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
    }
  }
}

TEST(MatrixPermutation_MainDiagonalOne, CountsTheOnes) {
  const auto problem = restore_problem("MatrixPermutation_MainDiagonalOne",
                                       R"({"N": 3, "A": [[0, 1, 0], [1, 0, 1], [0, 0, 1]]})");
  EXPECT_TRUE(problem->score("2 1 0\n2 0 1").solved);
  EXPECT_NEAR(problem->score("0 1 2\n0 1 2").reward, std::pow(1.0 / 3.0, 5), 1e-12);
  EXPECT_EQ(problem->score("0 1 2\n0 1 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 1 2 1 0 2").well_formed);
}

}  // namespace
}  // namespace redqueen
