#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(DiscreteLogarithm, AgreesWithASearch) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("DiscreteLogarithm", static_cast<int>(seed % 15), seed);
    const auto z = problem->parameter()["Z"].get<std::int64_t>();
    const auto x = problem->parameter()["X"].get<std::int64_t>();
    const auto k = problem->parameter()["K"].get<std::int64_t>();
    std::int64_t y = 0;
    for (std::int64_t power = 1 % z; power != k; power = power * x % z) ++y;
    EXPECT_EQ(problem->reference(), format_answer(y));
  }
}

TEST(DiscreteLogarithm, PaysLessForLargerExponents) {
  const auto problem =
      restore_problem("DiscreteLogarithm", R"({"MAX_Z": 20, "Z": 13, "X": 2, "K": 8})");
  EXPECT_EQ(problem->score("3").reward, 1.0);
  EXPECT_NEAR(problem->score("15").reward, 0.04, 1e-12);
  EXPECT_EQ(problem->score("4").reward, 0.0);
  EXPECT_FALSE(problem->score("-9").well_formed);
  // 2 has order 12 modulo 13, and 10^3000 is 4 modulo 12.
  EXPECT_EQ(problem->score("1" + std::string(3000, '0')).reward, 0.0);
  EXPECT_GE(problem->score("99" + std::string(3000, '0') + "3").reward, 0.0);
}

TEST(DiscreteLogarithm, RefusesAResidueThatIsNoPower) {
  const Environment* environment = Registry::native().find("DiscreteLogarithm");
  EXPECT_FALSE(
      environment->restore(*parse_json(R"({"MAX_Z": 9, "Z": 8, "X": 2, "K": 3})")).has_value());
}

}  // namespace
}  // namespace redqueen
