#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

Matrix by_looking(const Matrix& matrix, std::size_t side) {
  Matrix result;
  for (std::size_t top = 0; top + side <= matrix.size(); ++top) {
    auto& row = result.emplace_back();
    for (std::size_t left = 0; left + side <= matrix[0].size(); ++left) {
      std::int64_t most = -1;
      for (std::size_t cell = 0; cell < side * side; ++cell) {
        most = std::max(most, matrix[top + cell / side][left + cell % side]);
      }
      row.push_back(most);
    }
  }
  return result;
}

TEST(MatrixPooling, AgreesWithLookingAtEverySquare) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("MatrixPooling", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), format_answer(by_looking(parameter["matrix"].get<Matrix>(),
                                                             parameter["K"].get<std::size_t>())));
  }
}

TEST(MatrixPooling, TakesTheWholeMatrixAsASquare) {
  const auto problem =
      restore_problem("MatrixPooling", R"({"N": 2, "M": 2, "K": 2, "matrix": [[1, 4], [3, 2]]})");
  EXPECT_TRUE(problem->score("4").solved);
  EXPECT_FALSE(problem->score("4 4\n4 4").well_formed);
}

}  // namespace
}  // namespace redqueen
