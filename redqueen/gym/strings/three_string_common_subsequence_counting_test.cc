#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::set<std::string> subsequences(const std::string& s) {
  std::set<std::string> found;
  for (int kept = 1; kept < 1 << s.size(); ++kept) {
    std::string text;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if ((kept >> i & 1) != 0) text += s[i];
    }
    found.insert(text);
  }
  return found;
}

TEST(ThreeStringCommonSubsequenceCounting, AgreesWithTheListsOfAll) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("ThreeStringCommonSubsequenceCounting", static_cast<int>(seed % 10), seed);
    const auto strings = problem->parameter()["S"].get<std::vector<std::string>>();
    const auto second = subsequences(strings[1]);
    const auto third = subsequences(strings[2]);
    int common = 0;
    for (const std::string& text : subsequences(strings[0])) {
      common += second.contains(text) && third.contains(text);
    }
    EXPECT_EQ(problem->reference(), std::to_string(common)) << problem->prompt();
  }
}

// Letters in turn have the most subsequences: f(n) = f(n − 1) + f(n − 2) + 1 of n letters, the
// empty one left out.
TEST(ThreeStringCommonSubsequenceCounting, CountsBeyond64Bits) {
  std::string s;
  BigInt before = 0;
  BigInt count = 0;
  for (int n = 1; n <= 110; ++n) {
    s += n % 2 == 0 ? 'b' : 'a';
    const BigInt next = n == 1 ? BigInt(1) : BigInt(count + before + 2);
    before = count;
    count = next;
    const auto problem = restore_problem(
        "ThreeStringCommonSubsequenceCounting",
        fmt::format(R"({{"S": ["{0}", "{0}", "{0}"], "reference_answer": {1}}})", s, count.str()));
    ASSERT_NE(problem, nullptr) << n;
  }
}

TEST(ThreeStringCommonSubsequenceCounting, PaysByCloseness) {
  const auto problem = restore_problem("ThreeStringCommonSubsequenceCounting",
                                       R"({"S": ["abab", "aabb", "abb"], "reference_answer": 5})");
  EXPECT_TRUE(problem->score("5").solved);
  EXPECT_DOUBLE_EQ(problem->score("4").reward, std::pow(0.8, 10));
  EXPECT_EQ(problem->score("0").reward, 0.0);
  EXPECT_FALSE(problem->score("-5").well_formed);
  const auto none = restore_problem("ThreeStringCommonSubsequenceCounting",
                                    R"({"S": ["aa", "ab", "bb"], "reference_answer": 0})");
  EXPECT_TRUE(none->score("0").solved);
}

}  // namespace
}  // namespace redqueen
