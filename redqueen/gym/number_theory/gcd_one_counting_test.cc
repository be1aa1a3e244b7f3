#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(GCDOne_Counting, AgreesWithEveryPair) {
  for (std::uint64_t seed = 0; seed < 90; ++seed) {
    const auto problem = make_problem("GCDOne_Counting", static_cast<int>(seed % 9), seed);
    const Json parameter = problem->parameter();
    std::int64_t pairs = 0;
    for (int x = 1; x <= parameter["N"].get<int>(); ++x) {
      for (int y = 1; y <= parameter["M"].get<int>(); ++y) pairs += std::gcd(x, y) == 1 ? 1 : 0;
    }
    EXPECT_EQ(problem->reference(), std::to_string(pairs));
  }
}

TEST(GCDOne_Counting, PaysForClosenessButSolvesOnlyExactly) {
  const auto problem = restore_problem(
      "GCDOne_Counting", R"({"N": 1000000, "M": 1000000, "reference_answer": 607927104783})");
  EXPECT_TRUE(problem->score("607927104783").solved);
  EXPECT_FALSE(problem->score("607927104784").solved);
  EXPECT_GT(problem->score("607927104784").reward, 0.999999);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
