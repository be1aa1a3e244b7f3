#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(SumLCM, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("SumLCM", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    std::int64_t sum = 0;
    for (int i = 1; i <= parameter["N"].get<int>(); ++i) {
      for (int j = 1; j <= parameter["M"].get<int>(); ++j) sum += std::lcm(i, j);
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumLCM, IsSolvedByTheExactSumAlone) {
  const auto problem =
      restore_problem("SumLCM", R"({"MAX_N_M": 1000000, "N": 1000000, "M": 900000})");
  const BigInt sum(problem->reference());
  EXPECT_GT(sum, pow(BigInt(10), 22));
  EXPECT_FALSE(problem->score(format_answer(BigInt(sum - 1))).solved);
  EXPECT_TRUE(problem->score(format_answer(sum)).solved);
}

}  // namespace
}  // namespace redqueen
