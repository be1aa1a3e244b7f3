#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Multiplies until the first power comes back; 0 if it never does.
int period_by_multiplying(int n, int modulus) {
  std::int64_t power = n % modulus;
  for (int length = 1; length <= modulus; ++length) {
    power = power * n % modulus;
    if (power == n % modulus) return length;
  }
  return 0;
}

// All numbers below 10^K, also those that check() has to refuse.
TEST(PowerCycle, AgreesWithMultiplying) {
  const Environment* environment = Registry::native().find("PowerCycle");
  for (int k = 1, modulus = 10; k <= 3; ++k, modulus *= 10) {
    for (int n = 1; n < modulus; ++n) {
      const Json parameter{{"digit_num", k}, {"N", n}, {"K", k}};
      const auto problem = environment->restore(parameter);
      const int period = period_by_multiplying(n, modulus);
      ASSERT_EQ(problem.has_value(), period > 0) << n;
      if (!problem) continue;
      ASSERT_EQ((*problem)->reference(), format_answer(period)) << n << ", " << k;
    }
  }
}

TEST(PowerCycle, GivesAPeriodOfLongNumbers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("PowerCycle", 10 + static_cast<int>(seed % 20), seed);
    const BigInt n(dump_json(problem->parameter()["N"]));
    const BigInt modulus = pow(BigInt(10), problem->parameter()["K"].get<unsigned>());
    const BigInt period(problem->reference());
    const BigInt first = n % modulus;
    const auto returns = [&](const BigInt& length) {
      return powm(n, BigInt(length + 1), modulus) == first;
    };
    EXPECT_TRUE(returns(period));
    for (const int prime : {2, 5}) {
      if (period % prime != 0) continue;
      EXPECT_FALSE(returns(BigInt(period / prime))) << "not the least";
    }
  }
}

TEST(PowerCycle, PaysForMultiples) {
  const auto problem = restore_problem("PowerCycle", R"({"digit_num": 3, "N": 16, "K": 2})");
  EXPECT_EQ(problem->score("5").reward, 1.0);
  EXPECT_NEAR(problem->score("20").reward, 0.25, 1e-12);
  EXPECT_EQ(problem->score("6").reward, 0.0);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
