#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Bisection in exact integers for the floor of the root times 10^6, then rounding by its last
// digit.
std::string root_by_bisection(std::int64_t n, unsigned k) {
  const BigInt target = n * pow(BigInt(1'000'000), k);
  BigInt low = 0;
  BigInt high = BigInt(n) * 1'000'000 + 1;
  while (high - low > 1) {
    const BigInt middle = (low + high) / 2;
    (pow(middle, k) <= target ? low : high) = middle;
  }
  const std::int64_t rounded = (low.convert_to<std::int64_t>() + 5) / 10;
  return format_answer(static_cast<double>(rounded) / 1e5);
}

TEST(RootExtraction, AgreesWithBisection) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("RootExtraction", static_cast<int>(seed % 21), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), root_by_bisection(parameter["N"].get<std::int64_t>(),
                                                      parameter["K"].get<unsigned>()));
  }
}

TEST(RootExtraction, IsSolvedWithinTheTolerance) {
  const auto problem =
      restore_problem("RootExtraction", R"({"MAX_N": 9, "MAX_K": 2, "N": 2, "K": 2})");
  EXPECT_EQ(problem->score("1.41421").reward, 1.0);
  EXPECT_TRUE(problem->score("1.41431").solved);
  EXPECT_FALSE(problem->score("1.41432").solved);
  EXPECT_LT(problem->score("1.414210001").reward, 1.0);
  EXPECT_NEAR(problem->score("2.41421").reward, 0.25, 1e-9);
  EXPECT_FALSE(problem->score("sqrt(2)").well_formed);
}

}  // namespace
}  // namespace redqueen
