#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SumGCDWithIndividual, AgreesWithALoop) {
  for (std::int64_t n = 1; n <= 300; ++n) {
    const auto problem =
        restore_problem("SumGCDWithIndividual", fmt::format(R"({{"MAX_N": 300, "N": {}}})", n));
    std::int64_t sum = 0;
    for (std::int64_t i = 1; i <= n; ++i) sum += std::gcd(i, n);
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumGCDWithIndividual, IsSolvedByTheExactSumAlone) {
  const auto problem =
      restore_problem("SumGCDWithIndividual", R"({"MAX_N": 1000000000, "N": 1000000000})");
  EXPECT_FALSE(problem->score(format_answer(BigInt(BigInt(problem->reference()) + 1))).solved);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
