#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MaxMultiplicationFixedSum, AgreesWithTryingEveryFirstTerm) {
  std::vector<BigInt> best{1};
  for (int n = 1; n <= 300; ++n) {
    BigInt most = 0;
    for (int first = 1; first <= n; ++first) {
      most = std::max(most, BigInt(best[n - first] * first));
    }
    best.push_back(most);
    if (n < 4) continue;
    const auto problem = restore_problem("MaxMultiplicationFixedSum",
                                         fmt::format(R"({{"MAX_N": 300, "N": {}}})", n));
    EXPECT_EQ(problem->reference(), most.str());
    EXPECT_EQ(problem->score(BigInt(most + 1).str()).reward, 0.0);
  }
}

TEST(MaxMultiplicationFixedSum, ReadsTheLongestAnswer) {
  const auto problem =
      restore_problem("MaxMultiplicationFixedSum", R"({"MAX_N": 27000, "N": 27000})");
  EXPECT_LE(problem->reference().size(), 4300u);
  EXPECT_TRUE(problem->score(problem->reference()).solved);
}

}  // namespace
}  // namespace redqueen
