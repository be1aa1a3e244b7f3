#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MinKDivisorNumber, AgreesWithASieve) {
  const std::vector<int> counts = divisor_counts_up_to(100'000);
  std::vector<int> smallest(200, 0);
  for (int n = 100'000; n >= 1; --n) {
    if (counts[n] < 200) smallest[counts[n]] = n;
  }
  int checked = 0;
  for (int k = 1; k < 200; ++k) {
    if (smallest[k] == 0) continue;
    const auto problem =
        restore_problem("MinKDivisorNumber", fmt::format(R"({{"MAX_K": 200, "K": {}}})", k));
    EXPECT_EQ(problem->reference(), format_answer(smallest[k])) << k;
    ++checked;
  }
  EXPECT_GT(checked, 50);
}

TEST(MinKDivisorNumber, PaysForLargerNumbersWithAsManyDivisors) {
  const std::vector<int> counts = divisor_counts_up_to(5000);
  const auto problem = restore_problem("MinKDivisorNumber", R"({"MAX_K": 20, "K": 12})");
  for (int n = 1; n <= 5000; ++n) {
    const double expected = counts[n] == 12 ? (60.0 / n) * (60.0 / n) : 0.0;
    EXPECT_NEAR(problem->score(format_answer(n)).reward, expected, 1e-12) << n;
  }
  EXPECT_FALSE(problem->score("0").well_formed);
}

// 2^a · p for a large prime p, within a million of the smallest and beyond.
TEST(MinKDivisorNumber, TakesLargePrimes) {
  const auto problem = restore_problem("MinKDivisorNumber", R"({"MAX_K": 9, "K": 4})");
  EXPECT_EQ(problem->reference(), "6");
  EXPECT_NEAR(problem->score("1999966").reward, std::pow(6.0 / 1999966.0, 2), 1e-15);  // 2 · 999983
  EXPECT_EQ(problem->score(std::string(4000, '7')).reward, 0.0);
}

TEST(MinKDivisorNumber, RefusesAnswersBeyondAnyReader) {
  const Environment* environment = Registry::native().find("MinKDivisorNumber");
  EXPECT_FALSE(environment->restore(*parse_json(R"({"MAX_K": 9, "K": 100003})")).has_value());
}

}  // namespace
}  // namespace redqueen
