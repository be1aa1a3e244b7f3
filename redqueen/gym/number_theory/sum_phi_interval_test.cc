#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SumPHIInterval, AgreesWithCounting) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SumPHIInterval", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    int sum = 0;
    for (int x = parameter["L"].get<int>(); x <= parameter["R"].get<int>(); ++x) {
      for (int t = 1; t <= x; ++t) sum += std::gcd(t, x) > 1;
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

// A prime counts itself only; 999999999989 is the largest below 10^12.
TEST(SumPHIInterval, TakesLargePrimes) {
  const auto problem = restore_problem("SumPHIInterval",
                                       R"({"MAX_DELTA": 5, "L": 999999999989, "R": 999999999989})");
  EXPECT_EQ(problem->reference(), "1");
}

}  // namespace
}  // namespace redqueen
