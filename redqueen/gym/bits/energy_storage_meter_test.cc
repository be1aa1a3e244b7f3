#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Pair by pair.
std::int64_t added_pair_by_pair(std::int64_t n, std::int64_t m, std::int64_t k) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < m; ++j) sum += std::max<std::int64_t>((i ^ j) - k, 0);
  }
  return sum;
}

TEST(EnergyStorageMeter, AgreesWithBruteForce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("EnergyStorageMeter", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    const std::int64_t sum = added_pair_by_pair(parameter["N"], parameter["M"], parameter["K"]);
    EXPECT_GT(sum, 0);
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(EnergyStorageMeter, KnowsWhenNothingExceeds) {
  const auto problem =
      restore_problem("EnergyStorageMeter", R"({"MAX_N_M": 9, "N": 3, "M": 2, "K": 3})");
  EXPECT_TRUE(problem->score("0").solved);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

}  // namespace
}  // namespace redqueen
