#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// 1, 10, 11, 100, …: binary notation read as decimal, in ascending order.
BigInt smallest_factor_by_counting(int a) {
  for (std::uint64_t n = 1;; ++n) {
    BigInt number = 0;
    for (int bit = 63; bit >= 0; --bit) number = number * 10 + (n >> bit & 1);
    if (number % a == 0) return number / a;
  }
}

TEST(SmallestBinaryMultiple, AgreesWithCounting) {
  for (int a = 1; a <= 80; ++a) {
    const auto problem =
        restore_problem("SmallestBinaryMultiple", fmt::format(R"({{"MAX_A": 80, "A": {}}})", a));
    EXPECT_EQ(problem->reference(), format_answer(smallest_factor_by_counting(a))) << a;
  }
}

TEST(SmallestBinaryMultiple, RanksAnswersAsPublished) {
  const auto problem = restore_problem("SmallestBinaryMultiple", R"({"MAX_A": 9, "A": 7})");
  EXPECT_EQ(problem->score("143").reward, 1.0);  // 1001
  EXPECT_NEAR(problem->score("1430").reward, 1e-5, 1e-15);
  EXPECT_EQ(problem->score("144").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("-143").well_formed);
}

TEST(SmallestBinaryMultiple, HandlesAnswersBeyond64Bits) {
  const auto problem = restore_problem("SmallestBinaryMultiple", R"({"MAX_A": 999, "A": 999})");
  EXPECT_EQ(problem->reference(), "111222333444555666777889");
  EXPECT_TRUE(problem->score(problem->reference()).solved);
}

}  // namespace
}  // namespace redqueen
