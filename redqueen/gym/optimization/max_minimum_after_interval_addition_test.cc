#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t least_number(const Json& parameter, std::uint32_t chosen) {
  auto numbers = parameter["ARRAY"].get<std::vector<std::int64_t>>();
  for (; chosen != 0; chosen &= chosen - 1) {
    const Json& interval = parameter["intervals"][std::countr_zero(chosen)];
    for (auto i = interval[0].get<int>(); i <= interval[1].get<int>(); ++i) {
      numbers[i - 1] += parameter["A"].get<std::int64_t>();
    }
  }
  return std::ranges::min(numbers);
}

TEST(MaxMinimumAfterIntervalAddition, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem =
        make_problem("MaxMinimum_AfterIntervalAddition", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const int k = parameter["K"].get<int>();
    std::int64_t best = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << parameter["M"].get<int>(); ++set) {
      if (std::popcount(set) == k) best = std::max(best, least_number(parameter, set));
    }
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    const auto answer = *parse_int_list(problem->reference());
    std::uint32_t chosen = 0;
    for (const auto i : answer) chosen |= 1U << (i - 1);
    EXPECT_EQ(std::popcount(chosen), k);
    EXPECT_EQ(least_number(parameter, chosen), best);
  }
}

TEST(MaxMinimumAfterIntervalAddition, PaysByTheLeastNumber) {
  const auto problem =
      restore_problem("MaxMinimum_AfterIntervalAddition",
                      R"({"MAX_N_M": 3, "N": 3, "M": 3, "K": 2, "A": 2, "ARRAY": [1, 3, 1],
          "intervals": [[1, 1], [1, 2], [2, 3]], "gold_answer": 3})");
  EXPECT_EQ(problem->score("3 1").reward, 1.0);
  EXPECT_EQ(problem->score("2 3").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2").reward, std::pow(1.0 / 3, 5), 1e-12);
  EXPECT_EQ(problem->score("3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("3 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
