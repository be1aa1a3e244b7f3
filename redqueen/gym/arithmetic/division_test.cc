#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(Division, AgreesWithRepeatedSubtraction) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Division", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto divisor = parameter["b"].get<std::int64_t>();
    std::int64_t quotient = 0;
    for (auto rest = parameter["a"].get<std::int64_t>(); rest >= divisor; rest -= divisor)
      ++quotient;
    EXPECT_EQ(problem->reference(), format_answer(quotient));
  }
}

TEST(Division, LeavesLessThanTheDivisorAtHighLevels) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Division", 20, seed);
    const Json parameter = problem->parameter();
    const BigInt a(dump_json(parameter["a"]));
    const BigInt b(dump_json(parameter["b"]));
    const BigInt quotient(problem->reference());
    EXPECT_TRUE(quotient * b <= a && a < (quotient + 1) * b) << problem->prompt();
  }
}

// The larger number is the dividend, and the smaller the divisor, in every wording.
TEST(Division, AsksForTheSameQuotientInEveryWording) {
  for (int wording = 0; wording < 10; ++wording) {
    const auto problem = restore_problem(
        "Division", fmt::format(R"({{"divisor_digit_num": 2, "answer_digit_num": 1, )"
                                R"("b": 74, "a": 350, "prompt_template": {}}})",
                                wording));
    EXPECT_EQ(problem->reference(), "4");
    EXPECT_NE(problem->prompt().find("350"), std::string::npos);
    EXPECT_NE(problem->prompt().find("74"), std::string::npos);
  }
}

}  // namespace
}  // namespace redqueen
