#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

TEST(Matrix_BinaryExponentiation, AgreesWithRepeatedMultiplication) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("Matrix_BinaryExponentiation", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<Matrix>();
    const auto modulo = parameter["modulo"].get<std::int64_t>();
    Matrix result = a;
    for (std::int64_t k = 1; k < parameter["K"].get<std::int64_t>(); ++k) {
      Matrix next(a.size(), std::vector<std::int64_t>(a.size(), 0));
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
          for (std::size_t m = 0; m < a.size(); ++m) next[i][j] += result[i][m] * a[m][j];
          next[i][j] %= modulo;
        }
      }
      result = next;
    }
    EXPECT_EQ(problem->reference(), format_answer(result));
  }
}

TEST(Matrix_BinaryExponentiation, PaysForEntriesAndWantsThemReduced) {
  const auto problem =
      restore_problem("Matrix_BinaryExponentiation",
                      R"({"N": 2, "MAX_K": 2, "K": 2, "A": [[1, 1], [0, 1]], "modulo": 2})");
  EXPECT_TRUE(problem->score("1 0\n0 1").solved);
  EXPECT_NEAR(problem->score("1 2\n0 1").reward, std::pow(0.75, 5), 1e-12) << "2 is not reduced";
  EXPECT_EQ(problem->score("1 0 0 1").reward, kMalformedReward);
  EXPECT_EQ(problem->score("1 0\n0").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
