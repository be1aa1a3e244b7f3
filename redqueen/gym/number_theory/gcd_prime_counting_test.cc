#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool has_two_divisors(int n) {
  int divisors = 0;
  for (int d = 1; d <= n; ++d) divisors += n % d == 0;
  return divisors == 2;
}

TEST(GCDPrime_Counting, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("GCDPrime_Counting", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    int count = 0;
    for (int x = 1; x <= parameter["N"].get<int>(); ++x) {
      for (int y = 1; y <= parameter["M"].get<int>(); ++y)
        count += has_two_divisors(std::gcd(x, y));
    }
    EXPECT_EQ(problem->reference(), format_answer(count));
  }
}

TEST(GCDPrime_Counting, IsNotSolvedByTheDensity) {
  const auto problem =
      restore_problem("GCDPrime_Counting", R"({"MAX_N_M": 900000, "N": 800000, "M": 700000})");
  const BigInt count(problem->reference());
  EXPECT_NEAR(count.convert_to<double>() / (800000.0 * 700000.0), 0.2749, 1e-3);
  EXPECT_FALSE(problem->score(format_answer(BigInt(count + 1))).solved);
}

}  // namespace
}  // namespace redqueen
