#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::string binary(int value, int length) {
  std::string s;
  for (int i = length - 1; i >= 0; --i) s += (value >> i & 1) != 0 ? '1' : '0';
  return s;
}

std::string parameter(std::int64_t n, const std::string& pattern, std::int64_t mod,
                      std::int64_t count) {
  return dump_json(
      Json{{"N", n}, {"pattern", pattern}, {"MOD", mod}, {"reference_answer", count % mod}});
}

TEST(NotContainingStringCounting, AgreesWithTheListOfAllStrings) {
  for (int m = 1; m <= 5; ++m) {
    for (int word = 0; word < 1 << m; ++word) {
      const std::string pattern = binary(word, m);
      for (int n = 1; n <= 11; ++n) {
        std::int64_t count = 0;
        for (int value = 0; value < 1 << n; ++value) {
          count += binary(value, n).find(pattern) == std::string::npos;
        }
        for (const std::int64_t mod : {7, 10'000}) {
          ASSERT_NE(
              restore_problem("NotContainingStringCounting", parameter(n, pattern, mod, count)),
              nullptr)
              << pattern << ' ' << n;
        }
      }
    }
  }
}

// Counts strings by the longest beginning of the pattern that they end with.
std::int64_t stepwise(std::int64_t n, const std::string& pattern, std::int64_t mod) {
  const std::size_t m = pattern.size();
  std::vector<std::array<std::size_t, 2>> next(m);
  for (std::size_t length = 0; length < m; ++length) {
    for (const char c : {'0', '1'}) {
      const std::string text = pattern.substr(0, length) + c;
      std::size_t reached = std::min(m, text.size());
      while (!text.ends_with(pattern.substr(0, reached))) --reached;
      next[length][c - '0'] = reached;
    }
  }
  std::vector<std::int64_t> ways(m, 0);
  ways[0] = 1;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> after(m, 0);
    for (std::size_t length = 0; length < m; ++length) {
      for (const std::size_t reached : next[length]) {
        if (reached < m) after[reached] = (after[reached] + ways[length]) % mod;
      }
    }
    ways = after;
  }
  std::int64_t sum = 0;
  for (const std::int64_t count : ways) sum += count;
  return sum % mod;
}

TEST(NotContainingStringCounting, AgreesWithCountingCharacterByCharacter) {
  for (int level = 0; level <= 12; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("NotContainingStringCounting", level, seed);
      const Json drawn = problem->parameter();
      ASSERT_EQ(problem->reference(), std::to_string(stepwise(drawn["N"].get<std::int64_t>(),
                                                              drawn["pattern"].get<std::string>(),
                                                              drawn["MOD"].get<std::int64_t>())))
          << drawn.dump();
    }
  }
}

TEST(NotContainingStringCounting, CallsANumberOutsideTheRangeInvalid) {
  const auto problem = restore_problem("NotContainingStringCounting", parameter(4, "11", 5, 8));
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_EQ(problem->score("8").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, 0.0);
  EXPECT_FALSE(problem->score("three").well_formed);
}

}  // namespace
}  // namespace redqueen
