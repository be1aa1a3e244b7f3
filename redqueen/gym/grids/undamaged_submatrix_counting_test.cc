#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<int>>;

bool all_ones(const Matrix& matrix, std::size_t top, std::size_t bottom, std::size_t left,
              std::size_t right) {
  for (std::size_t row = top; row <= bottom; ++row) {
    for (std::size_t column = left; column <= right; ++column) {
      if (matrix[row][column] == 0) return false;
    }
  }
  return true;
}

std::int64_t count_by_looking(const Matrix& matrix) {
  std::int64_t count = 0;
  for (std::size_t top = 0; top < matrix.size(); ++top) {
    for (std::size_t bottom = top; bottom < matrix.size(); ++bottom) {
      for (std::size_t left = 0; left < matrix[0].size(); ++left) {
        for (std::size_t right = left; right < matrix[0].size(); ++right) {
          count += all_ones(matrix, top, bottom, left, right) ? 1 : 0;
        }
      }
    }
  }
  return count;
}

TEST(UndamagedSubmatrixCounting, AgreesWithLookingAtEveryRectangle) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("UndamagedSubmatrixCounting", static_cast<int>(seed % 8), seed);
    EXPECT_EQ(problem->reference(),
              std::to_string(count_by_looking(problem->parameter()["matrix"].get<Matrix>())));
  }
}

TEST(UndamagedSubmatrixCounting, CountsNothingInAnEmptyMatrix) {
  const auto problem = restore_problem("UndamagedSubmatrixCounting",
                                       R"({"N": 2, "M": 3, "matrix": [[0, 0, 0], [0, 0, 0]]})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
