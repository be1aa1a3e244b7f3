#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::int64_t weight(const std::string& t, const std::string& s) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i + t.size() <= s.size(); ++i) count += s.compare(i, t.size(), t) == 0;
  return static_cast<std::int64_t>(t.size()) * count;
}

// All palindromes, at all places.
std::int64_t greatest_weight(const std::string& s) {
  std::int64_t best = 0;
  for (std::size_t first = 0; first < s.size(); ++first) {
    for (std::size_t length = 1; first + length <= s.size(); ++length) {
      const std::string t = s.substr(first, length);
      if (t == std::string(t.rbegin(), t.rend())) best = std::max(best, weight(t, s));
    }
  }
  return best;
}

TEST(MaxWeightPalindromicSubstring, AgreesWithAllPalindromes) {
  const Environment& environment = *Registry::native().find("MaxWeightPalindromicSubstring");
  for (int n = 1; n <= 9; ++n) {
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? 'b' : 'a';
      const std::int64_t greatest = greatest_weight(s);
      const auto problem = environment.restore({{"N", n}, {"S", s}, {"gold_answer", greatest}});
      ASSERT_TRUE(problem.has_value()) << s;
      EXPECT_EQ(weight((*problem)->reference(), s), greatest) << s;
      for (const NamedAnswer& guess : (*problem)->shortcuts()) {
        const double share =
            static_cast<double>(weight(guess.answer, s)) / static_cast<double>(greatest);
        EXPECT_NEAR((*problem)->score(guess.answer).reward, std::pow(share, 5.0), 1e-12)
            << s << ' ' << guess.rule;
      }
    }
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("MaxWeightPalindromicSubstring", static_cast<int>(seed % 20), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(),
              greatest_weight(parameter["S"].get<std::string>()));
  }
}

TEST(MaxWeightPalindromicSubstring, PaysNothingForPalindromesThatDoNotOccur) {
  const auto problem = restore_problem("MaxWeightPalindromicSubstring",
                                       R"({"N": 9, "S": "bbbababab", "gold_answer": 10})");
  EXPECT_EQ(problem->score("babab").reward, 1.0);
  EXPECT_EQ(problem->score("ababa").reward, 1.0 / 32);
  EXPECT_EQ(problem->score("bbbb").reward, 0.0);
  EXPECT_EQ(problem->score("noon").reward, 0.0);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("ab").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
