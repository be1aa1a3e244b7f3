#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(AddMultiple_Divisible_Counting, AgreesWithADoubleLoop) {
  int count = 0;
  for (int n = 1; n <= 400; ++n) {
    for (int a = 1; a < n; ++a) count += a * n % (a + n) == 0;
    const auto problem = restore_problem("AddMultiple_Divisible_Counting",
                                         fmt::format(R"({{"MAX_N": 400, "N": {}}})", n));
    EXPECT_EQ(problem->reference(), format_answer(count));
  }
}

TEST(AddMultiple_Divisible_Counting, CallsZeroMalformed) {
  const auto problem = make_problem("AddMultiple_Divisible_Counting", 5, 1);
  EXPECT_FALSE(problem->score("0").well_formed);
  EXPECT_FALSE(problem->score("-3").well_formed);
}

}  // namespace
}  // namespace redqueen
