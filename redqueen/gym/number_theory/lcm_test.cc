#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(LCM, AgreesWithAListOfMultiples) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("LCM", static_cast<int>(seed % 10), seed);
    const auto a = problem->parameter()["a"].get<std::int64_t>();
    const auto b = problem->parameter()["b"].get<std::int64_t>();
    std::int64_t multiple = a;
    while (multiple % b != 0) multiple += a;
    EXPECT_EQ(problem->reference(), format_answer(multiple));
  }
}

TEST(LCM, IsNotOftenTheProduct) {
  int products = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto problem = make_problem("LCM", 4, seed);
    for (const NamedAnswer& shortcut : problem->shortcuts()) {
      if (shortcut.rule == "the product") products += problem->score(shortcut.answer).solved;
    }
  }
  EXPECT_LT(products, 80);
}

TEST(LCM, TakesNumbersWhoseProductLeaves64Bits) {
  const auto problem = restore_problem(
      "LCM",
      R"({"MAX_a_b": 9, "a": 9223372036854775807, "b": 9223372036854775806, "prompt_template": 9})");
  EXPECT_TRUE(problem->score("85070591730234615838173535747377725442").solved);
}

}  // namespace
}  // namespace redqueen
