#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool reads_same_backwards(const std::string& s) {
  return std::equal(s.begin(), s.end(), s.rbegin());
}

// All triples.
int longest(const std::string& s) {
  const int n = static_cast<int>(s.size());
  int best = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      for (int c = b + 1; c <= n; ++c) {
        if (c - a > best && reads_same_backwards(s.substr(a, b - a)) &&
            reads_same_backwards(s.substr(b, c - b))) {
          best = c - a;
        }
      }
    }
  }
  return best;
}

TEST(Longest_DoublePalindrome, AgreesWithAllTriples) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem =
        make_problem("Longest_DoublePalindrome", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(parameter["gold_answer"].get<int>(), longest(parameter["S"].get<std::string>()));
  }
  const Environment& environment = *Registry::native().find("Longest_DoublePalindrome");
  for (int n = 2; n <= 10; ++n) {
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (bits >> i & 1) != 0 ? '1' : '0';
      const Json parameter{{"N", n}, {"S", s}, {"gold_answer", longest(s)}};
      EXPECT_TRUE(environment.restore(parameter).has_value()) << s;
    }
  }
}

TEST(Longest_DoublePalindrome, ChecksThePieces) {
  const auto problem =
      restore_problem("Longest_DoublePalindrome", R"({"N": 6, "S": "001011", "gold_answer": 5})");
  EXPECT_EQ(problem->score("0 2 5").reward, 1.0);
  EXPECT_EQ(problem->score("1 4 6").reward, 1.0);
  EXPECT_NEAR(problem->score("0 2 4").reward, kInvalidReward, 0.0);
  EXPECT_NEAR(problem->score("0 1 2").reward, 0.01024, 1e-12);
  EXPECT_EQ(problem->score("0 0 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 5 7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 2").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
