#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All substrings of lengths 4, 8, ….
std::string longest(const std::string& s) {
  for (std::size_t quarter = s.size() / 4; quarter > 0; --quarter) {
    for (std::size_t first = 0; first + 4 * quarter <= s.size(); ++first) {
      const std::string x = s.substr(first, quarter);
      const std::string r(x.rbegin(), x.rend());
      if (s.substr(first, 4 * quarter) == x + r + x + r) return x + r + x + r;
    }
  }
  return "";
}

TEST(Longest_RepeatedPalindrome, AgreesWithAllSubstrings) {
  const Environment& environment = *Registry::native().find("Longest_RepeatedPalindrome");
  for (int n = 4; n <= 13; ++n) {
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? '1' : '0';
      const std::string best = longest(s);
      const Json parameter{{"N", n}, {"S", s}, {"gold_answer", best.size()}};
      const auto problem = environment.restore(parameter);
      ASSERT_EQ(problem.has_value(), !best.empty()) << s;
      if (!problem) continue;
      EXPECT_EQ((*problem)->score(best).reward, 1.0) << s;
      const double half =
          best.size() % 8 == 0 && best.find(best[0] == '0' ? '1' : '0') == std::string::npos
              ? 1.0 / 32
              : kInvalidReward;
      EXPECT_EQ((*problem)->score(best.substr(best.size() / 2)).reward, half) << s;
    }
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("Longest_RepeatedPalindrome", static_cast<int>(seed % 20), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"].get<std::size_t>(),
              longest(parameter["S"].get<std::string>()).size());
  }
}

TEST(Longest_RepeatedPalindrome, ChecksTheForm) {
  const auto problem = restore_problem("Longest_RepeatedPalindrome",
                                       R"({"N": 13, "S": "0011001101100", "gold_answer": 8})");
  EXPECT_EQ(problem->score("01100110").reward, 1.0);
  EXPECT_EQ(problem->score("00110011").reward, kInvalidReward);
  EXPECT_EQ(problem->score("10011001").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0110").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
}

// Strings in which many long palindromes overlap.
TEST(Longest_RepeatedPalindrome, IsFastOnRepetitiveStrings) {
  constexpr int kLength = 40'000;
  std::vector<std::string> strings(4);
  for (int i = 0; i < kLength; ++i) {
    strings[0] += '0';
    strings[1] += i % 2 == 0 ? '0' : '1';
    strings[2] += i % 4 < 2 ? '0' : '1';
    strings[3] += i == kLength / 2 ? '1' : '0';
  }
  strings.emplace_back("0");
  while (strings.back().size() < kLength) {  // of ever longer palindromes
    std::string half = strings.back();
    for (char& c : half) c = c == '0' ? '1' : '0';
    strings.back() = strings.back() + half;
  }
  strings.back().resize(kLength);
  for (const std::string& s : strings) {
    Json parameter{{"N", kLength}, {"S", s}, {"gold_answer", -1}};
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(Registry::native().find("Longest_RepeatedPalindrome")->restore(parameter));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
  }
}

}  // namespace
}  // namespace redqueen
