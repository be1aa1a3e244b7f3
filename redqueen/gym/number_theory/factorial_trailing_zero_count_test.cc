#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(FactorialTrailingZeroCount, AgreesWithTheFactorialItself) {
  BigInt factorial = 1;
  for (int n = 1; n <= 60; ++n) {
    factorial *= n;
    for (int base = 2; base <= 60; ++base) {
      int zeros = 0;
      for (BigInt rest = factorial; rest % base == 0; rest /= base) ++zeros;
      const auto problem =
          restore_problem("FactorialTrailingZeroCount",
                          fmt::format(R"({{"MAX_N_K": 60, "N": {}, "K": {}}})", n, base));
      EXPECT_EQ(problem->reference(), format_answer(zeros)) << n << "! in base " << base;
    }
  }
}

TEST(FactorialTrailingZeroCount, PaysForNothingButTheExactCount) {
  const auto problem =
      restore_problem("FactorialTrailingZeroCount", R"({"MAX_N_K": 100, "N": 100, "K": 10})");
  EXPECT_EQ(problem->score("24").reward, 1.0);
  EXPECT_EQ(problem->score("23").reward, 0.0);
  EXPECT_EQ(problem->score("-24").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
