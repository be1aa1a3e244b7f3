#include <map>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(GcdLcmCounting, AgreesWithAllPairs) {
  constexpr int kLimit = 72;
  std::map<std::pair<int, int>, int> counts;
  for (int p = 1; p <= kLimit; ++p) {
    for (int q = 1; q <= kLimit; ++q) ++counts[{std::gcd(p, q), std::lcm(p, q)}];
  }
  for (int gcd = 1; gcd <= kLimit; ++gcd) {
    for (int lcm = 1; lcm <= kLimit; ++lcm) {
      const auto problem = restore_problem(
          "GcdLcmCounting", fmt::format(R"({{"MAX_LCM": 72, "LCM": {}, "GCD": {}}})", lcm, gcd));
      EXPECT_EQ(problem->reference(), format_answer(counts[std::pair(gcd, lcm)]));
    }
  }
}

TEST(GcdLcmCounting, PaysNothingForImpossibleCounts) {
  const auto problem = restore_problem("GcdLcmCounting", R"({"MAX_LCM": 30, "LCM": 30, "GCD": 1})");
  EXPECT_EQ(problem->score("8").reward, 1.0);
  EXPECT_EQ(problem->score("7").reward, 0.0);
  EXPECT_NEAR(problem->score("4").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

TEST(GcdLcmCounting, DrawsCountsEvenly) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    ++counts[make_problem("GcdLcmCounting", 8, seed)->reference()];
  }
  for (const char* count : {"0", "1", "2", "4", "8", "16"}) {
    EXPECT_GT(counts[count], 70) << count;
    EXPECT_LT(counts[count], 130) << count;
  }
}

}  // namespace
}  // namespace redqueen
