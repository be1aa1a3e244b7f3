#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int digit_sum(std::int64_t x) {
  int sum = 0;
  for (const char digit : std::to_string(x)) sum += digit - '0';
  return sum;
}

TEST(ConstructHackInterval, ScoresAsAddingUpDoes) {
  Rng rng({.seed = 1, .purpose = hash_name("hack"), .step = 0, .index = 0, .salt = 0});
  int right = 0;
  for (int i = 0; i < 600; ++i) {
    const std::int64_t modulus = rng.integer(1, 300);
    const std::int64_t left = rng.integer(1, 10 * modulus);
    const std::int64_t last = rng.integer(left, std::min(left + 40, 10 * modulus));
    std::int64_t sum = 0;
    for (std::int64_t x = left; x <= last; ++x) sum += digit_sum(x);
    const auto problem = restore_problem("ConstructHackInterval",
                                         fmt::format(R"({{"MAX_MOD": 300, "MOD": {}}})", modulus));
    EXPECT_EQ(problem->score(fmt::format("{} {}", left, last)).solved, sum % modulus == 0);
    right += sum % modulus == 0;
  }
  EXPECT_GT(right, 5);
}

// That an interval is found at all rests on an argument about averages; here is every modulus up to
// a bound.
TEST(ConstructHackInterval, SolvesEveryModulus) {
  for (std::int64_t modulus = 1; modulus <= 20000; ++modulus) {
    const auto problem = restore_problem(
        "ConstructHackInterval", fmt::format(R"({{"MAX_MOD": 20000, "MOD": {}}})", modulus));
    ASSERT_TRUE(problem->score(problem->reference()).solved) << modulus;
  }
}

TEST(ConstructHackInterval, MindsItsBounds) {
  const auto problem = restore_problem("ConstructHackInterval", R"({"MAX_MOD": 20, "MOD": 9})");
  EXPECT_EQ(problem->score("9 9").reward, 1.0);
  EXPECT_EQ(problem->score("9 10").reward, 0.0);
  EXPECT_EQ(problem->score("10 9").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 9").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 91").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("9").well_formed);
}

}  // namespace
}  // namespace redqueen
