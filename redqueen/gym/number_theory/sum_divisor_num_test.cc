#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(Sum_DivisorNum, AgreesWithTrialDivision) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Sum_DivisorNum", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    int sum = 0;
    for (int i = parameter["L"].get<int>(); i <= parameter["R"].get<int>(); ++i) {
      for (int d = 1; d <= i; ++d) sum += i % d == 0;
    }
    EXPECT_EQ(problem->reference(), format_answer(sum));
  }
}

TEST(Sum_DivisorNum, TakesASingleNumber) {
  const auto problem = restore_problem("Sum_DivisorNum", R"({"MAX_R": 15, "R": 12, "L": 12})");
  EXPECT_TRUE(problem->score("6").solved);
  EXPECT_FALSE(problem->score("0").well_formed);
}

}  // namespace
}  // namespace redqueen
