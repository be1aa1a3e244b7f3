#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All sums of the first ten powers, sorted.
TEST(SubsetSumSequence, AgreesWithAllSums) {
  for (std::int64_t k = 2; k <= 7; ++k) {
    std::vector<std::int64_t> sums{0};
    std::int64_t power = 1;
    for (int i = 0; i < 10; ++i, power *= k) {
      for (std::size_t j = sums.size(); j-- > 0;) sums.push_back(sums[j] + power);
    }
    std::ranges::sort(sums);
    for (std::size_t n = 1; n < sums.size(); ++n) {
      const auto problem =
          restore_problem("SubsetSumSequence", fmt::format(R"({{"N": {}, "K": {}}})", n, k));
      ASSERT_EQ(problem->reference(), format_answer(sums[n])) << problem->prompt();
    }
  }
}

TEST(SubsetSumSequence, SolvesNothingButTheNumberItself) {
  const auto problem = restore_problem("SubsetSumSequence", R"({"N": 1048577, "K": 9})");
  const std::string near = "12157665459056928801";  // 9^20
  EXPECT_EQ(problem->reference(), "12157665459056928802");
  EXPECT_FALSE(problem->score(near).solved);
  EXPECT_GT(problem->score(near).reward, 0.9);
  EXPECT_EQ(problem->score("12157665459056928803").reward, 0.0);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
