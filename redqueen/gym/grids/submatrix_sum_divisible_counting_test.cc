#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

std::int64_t count_by_adding(const Matrix& matrix, std::int64_t k) {
  std::int64_t count = 0;
  for (std::size_t top = 0; top < matrix.size(); ++top) {
    for (std::size_t left = 0; left < matrix[0].size(); ++left) {
      for (std::size_t bottom = top; bottom < matrix.size(); ++bottom) {
        for (std::size_t right = left; right < matrix[0].size(); ++right) {
          std::int64_t sum = 0;
          for (std::size_t i = top; i <= bottom; ++i) {
            for (std::size_t j = left; j <= right; ++j) sum += matrix[i][j];
          }
          count += sum % k == 0 ? 1 : 0;
        }
      }
    }
  }
  return count;
}

TEST(SubmatrixSumDivisibleCounting, AgreesWithAddingEveryRectangle) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("SubmatrixSumDivisibleCounting", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              std::to_string(count_by_adding(parameter["matrix"].get<Matrix>(),
                                             parameter["K"].get<std::int64_t>())));
  }
}

}  // namespace
}  // namespace redqueen
