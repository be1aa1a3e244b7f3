#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Reverses and flips every substring.
std::int64_t count_of_all(const std::string& s) {
  std::int64_t count = 0;
  for (std::size_t first = 0; first < s.size(); ++first) {
    for (std::size_t length = 1; first + length <= s.size(); ++length) {
      const std::string piece = s.substr(first, length);
      std::string other(piece.rbegin(), piece.rend());
      for (char& c : other) c = c == '0' ? '1' : '0';
      count += piece == other;
    }
  }
  return count;
}

TEST(AntiPalindromicSubstringCounting, AgreesWithAllSubstrings) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem =
        make_problem("AntiPalindromicSubstringCounting", static_cast<int>(seed % 14), seed);
    EXPECT_EQ(problem->reference(),
              format_answer(count_of_all(problem->parameter()["S"].get<std::string>())));
  }
}

TEST(AntiPalindromicSubstringCounting, TakesZeroWhereThereIsNone) {
  const auto problem = restore_problem("AntiPalindromicSubstringCounting",
                                       R"({"N": 4, "S": "0000", "reference_answer": 0})");
  EXPECT_EQ(problem->score("0").reward, 1.0);
  EXPECT_EQ(problem->score("1").reward, 0.0);
  EXPECT_EQ(problem->score("-1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
