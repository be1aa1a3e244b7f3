#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SumGCD, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SumGCD", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    BigInt sum = 0;
    for (int i = 1; i <= parameter["N"].get<int>(); ++i) {
      for (int j = 1; j <= parameter["M"].get<int>(); ++j) {
        sum += pow(BigInt(std::gcd(i, j)), parameter["K"].get<unsigned>());
      }
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumGCD, IsSolvedByTheExactSumAlone) {
  const auto problem =
      restore_problem("SumGCD", R"({"MAX_N_M": 1000, "N": 900, "M": 800, "K": 5})");
  const BigInt sum(problem->reference());
  EXPECT_GT(sum, pow(BigInt(10), 15));
  const Verdict near_miss = problem->score(format_answer(BigInt(sum + 1)));
  EXPECT_GT(near_miss.reward, 0.999);
  EXPECT_FALSE(near_miss.solved);
}

// The largest sizes that check() admits: their sums pass 64 bits.
TEST(SumGCD, DoesNotOverflow) {
  const auto problem =
      restore_problem("SumGCD", R"({"MAX_N_M": 1000000, "N": 1000000, "M": 1000000, "K": 5})");
  const BigInt sum(problem->reference());
  EXPECT_GT(sum, pow(BigInt(10), 35));
  EXPECT_LT(sum, pow(BigInt(10), 37));
}

}  // namespace
}  // namespace redqueen
