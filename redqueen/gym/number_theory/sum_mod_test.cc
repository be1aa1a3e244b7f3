#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SumMOD, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SumMOD", static_cast<int>(seed % 8), seed);
    const auto n = problem->parameter()["N"].get<std::int64_t>();
    const auto m = problem->parameter()["M"].get<std::int64_t>();
    std::int64_t sum = 0;
    for (std::int64_t i = 1; i <= n; ++i) {
      for (std::int64_t j = 1; j <= m; ++j) sum += i == j ? 0 : (n % i) * (m % j);
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumMOD, AllowsZero) {
  const auto problem = restore_problem("SumMOD", R"({"MAX_N_M": 5, "N": 3, "M": 3})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

// The sum of N mod i is near (1 − π²/12)·N².
TEST(SumMOD, HasTheRightSizeForLargeBounds) {
  const auto problem =
      restore_problem("SumMOD", R"({"MAX_N_M": 1000000000, "N": 1000000000, "M": 900000000})");
  const double share = 1.0 - 0.8224670334;
  const double expected = share * share * 1e18 * 8.1e17;
  EXPECT_NEAR(BigInt(problem->reference()).convert_to<double>() / expected, 1.0, 1e-3);
}

}  // namespace
}  // namespace redqueen
