#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int divisors_by_search(int n) {
  int count = 0;
  for (int d = 1; d <= n; ++d) count += n % d == 0;
  return count;
}

TEST(SumProductDivisorNum, AgreesWithADoubleLoop) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("SumProductDivisorNum", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    int sum = 0;
    for (int i = 1; i <= parameter["N"].get<int>(); ++i) {
      for (int j = 1; j <= parameter["M"].get<int>(); ++j) sum += divisors_by_search(i * j);
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(SumProductDivisorNum, DoesNotCareWhichBoundIsLarger) {
  const auto wide = restore_problem("SumProductDivisorNum", R"({"MAX_N_M": 99, "N": 90, "M": 7})");
  const auto tall = restore_problem("SumProductDivisorNum", R"({"MAX_N_M": 99, "N": 7, "M": 90})");
  EXPECT_EQ(wide->reference(), tall->reference());
}

}  // namespace
}  // namespace redqueen
