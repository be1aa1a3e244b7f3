#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t divisors_by_trial(std::int64_t x) {
  std::int64_t count = 0;
  for (std::int64_t divisor = 1; divisor <= x; ++divisor) count += x % divisor == 0;
  return count;
}

TEST(SumXorDivisorNum, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("SumXorDivisorNum", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i <= parameter["N"].get<std::int64_t>(); ++i) {
      for (std::int64_t j = 0; j <= parameter["M"].get<std::int64_t>(); ++j) {
        sum += divisors_by_trial(i ^ j ^ parameter["X"].get<std::int64_t>());
      }
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumXorDivisorNum, DoesNotCallANearMissSolved) {
  const auto problem = make_problem("SumXorDivisorNum", 20, 1);
  const BigInt sum(problem->reference());
  EXPECT_TRUE(problem->score(format_answer(sum)).solved);
  EXPECT_FALSE(problem->score(format_answer(BigInt(sum + 1))).solved);
}

}  // namespace
}  // namespace redqueen
