#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All sets of places to cut behind.
std::int64_t least_over_all_cuts(const std::vector<std::int64_t>& numbers, int most) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t cuts = 0; cuts < (1u << (numbers.size() - 1)); ++cuts) {
    if (std::popcount(cuts) + 1 > most) continue;
    std::int64_t all = 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sum += numbers[i];
      if (i + 1 == numbers.size() || (cuts >> i & 1) != 0) {
        all |= sum;
        sum = 0;
      }
    }
    least = std::min(least, all);
  }
  return least;
}

TEST(MinDivisionSumXor, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("MinDivisionSumXor", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto numbers = parameter["A"].get<std::vector<std::int64_t>>();
    const auto ends = *parse_int_list(problem->reference());
    EXPECT_LE(ends.size(), parameter["K"].get<std::size_t>());
    std::int64_t all = 0;
    std::int64_t start = 0;
    for (const std::int64_t end : ends) {
      std::int64_t sum = 0;
      for (; start < end; ++start) sum += numbers.at(start);
      all |= sum;
    }
    EXPECT_EQ(all, least_over_all_cuts(numbers, parameter["K"].get<int>())) << problem->prompt();
  }
}

TEST(MinDivisionSumXor, WantsEndsInOrder) {
  const auto problem = restore_problem("MinDivisionSumXor", R"({"N": 3, "A": [8, 7, 5], "K": 2})");
  EXPECT_TRUE(problem->score("1 3").solved);
  EXPECT_NEAR(problem->score("3").reward, std::pow(12.0 / 20.0, 5), 1e-12);
  for (const char* cut : {"1", "1 2 3", "3 3", "0 3", "3 1", "-1 3", "4"}) {
    EXPECT_EQ(problem->score(cut).reward, kInvalidReward) << cut;
  }
  EXPECT_FALSE(problem->score("").well_formed);
}

}  // namespace
}  // namespace redqueen
