#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool is_palindrome(const std::string& digits) {
  return std::equal(digits.begin(), digits.end(), digits.rbegin());
}

TEST(NextPalindromic, AgreesWithCountingUp) {
  int next = 1;
  for (int n = 1; n <= 12'000; ++n) {
    if (next <= n) next = n + 1;
    while (!is_palindrome(std::to_string(next))) ++next;
    const auto problem =
        restore_problem("NextPalindromic", fmt::format(R"({{"digit_num": 5, "N": {}}})", n));
    ASSERT_EQ(problem->reference(), format_answer(next)) << n;
  }
}

TEST(NextPalindromic, IsNotSolvedByTheSecondPalindrome) {
  const auto problem =
      restore_problem("NextPalindromic", R"({"digit_num": 20, "N": 12345678901234567890})");
  EXPECT_TRUE(problem->score("12345678911987654321").solved);
  const Verdict second = problem->score("12345678922987654321");
  EXPECT_GT(second.reward, 0.999999);
  EXPECT_FALSE(second.solved);
}

TEST(NextPalindromic, CarriesThroughNines) {
  const std::string nines(100, '9');
  const auto problem =
      restore_problem("NextPalindromic", R"({"digit_num": 100, "N": )" + nines + "}");
  EXPECT_EQ(problem->reference(), "1" + std::string(99, '0') + "1");
  EXPECT_EQ(problem->score(nines).reward, kInvalidReward);
}

TEST(NextPalindromic, IsSeldomTheMirroredNumber) {
  int mirrored = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("NextPalindromic", 5, seed);
    mirrored += problem->score(problem->shortcuts()[0].answer).solved;
  }
  EXPECT_LT(mirrored, 60);
}

}  // namespace
}  // namespace redqueen
