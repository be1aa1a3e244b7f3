#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool is_balanced(const std::string& s) {
  int open = 0;
  for (const char c : s) {
    open += c == '(' ? 1 : -1;
    if (open < 0) return false;
  }
  return open == 0;
}

bool is_good(const std::string& s) {
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (is_balanced(s.substr(0, i) + s.substr(i + 1))) return true;
  }
  return false;
}

TEST(KthSemiBalancedBracketSequence, AgreesWithTheListOfAll) {
  for (int n = 1; n <= 13; n += 2) {
    std::int64_t place = 0;
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = n - 1; i >= 0; --i) s += (bits >> i & 1) != 0 ? ')' : '(';
      if (!is_good(s)) continue;
      const auto problem = restore_problem("Kth_SemiBalancedBracketSequence",
                                           fmt::format(R"({{"N": {}, "K": {}}})", n, ++place));
      ASSERT_EQ(problem->reference(), s);
    }
    const auto beyond = parse_json(fmt::format(R"({{"N": {}, "K": {}}})", n, place + 1));
    EXPECT_FALSE(Registry::native().find("Kth_SemiBalancedBracketSequence")->restore(*beyond));
  }
}

TEST(KthSemiBalancedBracketSequence, GivesGoodStringsOfTheGreatestLength) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("Kth_SemiBalancedBracketSequence", 33, seed);
    EXPECT_TRUE(is_good(problem->reference())) << problem->prompt();
  }
}

TEST(KthSemiBalancedBracketSequence, PaysByCharacters) {
  const auto problem = restore_problem("Kth_SemiBalancedBracketSequence", R"({"N": 3, "K": 1})");
  EXPECT_TRUE(problem->score("(()").solved);
  EXPECT_DOUBLE_EQ(problem->score("(((").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("(()(").reward, kInvalidReward);
  EXPECT_EQ(problem->score("( )").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
