#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Products of at least `more` factors, each at least `least`, in ascending order.
int count_products(int n, int least, int more) {
  int count = more <= 1 && n >= least ? 1 : 0;
  for (int factor = least; factor < n; ++factor) {
    if (n % factor == 0) count += count_products(n / factor, factor + 1, more - 1);
  }
  return count;
}

TEST(IntegerFactorizationCounting, AgreesWithRecursion) {
  for (int n = 2; n <= 720; ++n) {
    const auto problem = restore_problem("IntegerFactorizationCounting",
                                         fmt::format(R"({{"MAX_N": 720, "N": {}}})", n));
    EXPECT_EQ(problem->reference(), format_answer(count_products(n, 2, 2))) << n;
  }
}

TEST(IntegerFactorizationCounting, AllowsZero) {
  const auto problem = restore_problem("IntegerFactorizationCounting", R"({"MAX_N": 16, "N": 4})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
