#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(CongruentEquation, AgreesWithASearch) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("CongruentEquation", static_cast<int>(seed % 8), seed);
    const auto a = problem->parameter()["A"].get<std::int64_t>();
    const auto b = problem->parameter()["B"].get<std::int64_t>();
    std::int64_t x = 1;
    while (a * x % b != 1) ++x;
    EXPECT_EQ(problem->reference(), format_answer(x));
  }
}

TEST(CongruentEquation, RanksAnswersAsPublished) {
  const auto problem = restore_problem("CongruentEquation", R"({"MAX_A_B": 9, "A": 3, "B": 7})");
  EXPECT_EQ(problem->score("5").reward, 1.0);
  EXPECT_EQ(problem->score("12").reward, 0.0);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("-2").well_formed);
}

}  // namespace
}  // namespace redqueen
