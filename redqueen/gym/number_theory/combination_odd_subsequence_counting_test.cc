#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Pascal's triangle itself.
BigInt binomial(int n, int k) {
  if (k > n) return 0;
  BigInt value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

int count_by_subsets(const std::vector<int>& numbers) {
  int count = 0;
  for (unsigned subset = 0; subset < 1U << numbers.size(); ++subset) {
    std::vector<int> chosen;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (subset >> i & 1) chosen.push_back(numbers[i]);
    }
    BigInt product = 1;
    for (std::size_t i = 1; i < chosen.size(); ++i) product *= binomial(chosen[i - 1], chosen[i]);
    count += chosen.size() >= 2 && product % 2 == 1;
  }
  return count;
}

TEST(CombinationOddSubsequenceCounting, AgreesWithAllSubsets) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("CombinationOddSubsequenceCounting", static_cast<int>(seed % 7), seed);
    const auto numbers = problem->parameter()["A"].get<std::vector<int>>();
    EXPECT_EQ(problem->reference(), format_answer(count_by_subsets(numbers)));
  }
}

TEST(CombinationOddSubsequenceCounting, CountsWithoutOverflowAtItsLongest) {
  Json numbers = Json::array();
  for (int i = 7999; i > 3999; --i) numbers.push_back(i);
  const Json parameter{{"N", 4000}, {"A", numbers}};
  const auto problem = restore_problem("CombinationOddSubsequenceCounting", parameter.dump());
  EXPECT_GT(BigInt(problem->reference()), 0);
}

}  // namespace
}  // namespace redqueen
