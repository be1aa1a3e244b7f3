#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(CRT, AgreesWithCountingUp) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("CRT", static_cast<int>(seed % 10), seed);
    const auto moduli = problem->parameter()["B"].get<std::vector<std::int64_t>>();
    const auto remainders = problem->parameter()["X_mod_B"].get<std::vector<std::int64_t>>();
    std::int64_t x = 0;
    const auto fits = [&] {
      for (std::size_t i = 0; i < moduli.size(); ++i) {
        if (x % moduli[i] != remainders[i]) return false;
      }
      return true;
    };
    while (!fits()) ++x;
    EXPECT_EQ(problem->reference(), format_answer(x));
    EXPECT_GT(x, 1);
    EXPECT_LE(x, problem->parameter()["MAX_X"].get<std::int64_t>());
  }
}

TEST(CRT, TakesEverySolution) {
  const auto problem =
      restore_problem("CRT", R"({"MAX_X": 9, "M": 2, "B": [4, 6], "X_mod_B": [3, 5]})");
  EXPECT_TRUE(problem->score("11").solved);
  EXPECT_TRUE(problem->score("1199999999999999999999999999").solved);
  EXPECT_NEAR(problem->score("5").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_FALSE(problem->score("-1").well_formed);
}

TEST(CRT, RefusesCongruencesThatContradict) {
  const Environment* environment = Registry::native().find("CRT");
  const Json parameter{{"MAX_X", 9}, {"M", 2}, {"B", {4, 6}}, {"X_mod_B", {3, 4}}};
  EXPECT_FALSE(environment->restore(parameter).has_value());
}

}  // namespace
}  // namespace redqueen
