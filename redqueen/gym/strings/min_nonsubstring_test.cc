#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The next string in order of length, then of the alphabet.
std::string following(std::string s) {
  for (std::size_t i = s.size(); i > 0; --i) {
    if (s[i - 1] == 'a') {
      s[i - 1] = 'b';
      return s;
    }
    s[i - 1] = 'a';
  }
  return s + 'a';
}

std::string first_missing(const std::string& s) {
  std::string candidate = "a";
  while (s.find(candidate) != std::string::npos) candidate = following(candidate);
  return candidate;
}

TEST(MinNonsubstring, AgreesWithTryingStringsInOrder) {
  for (int level = 0; level <= 100; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("MinNonsubstring", level, seed);
      ASSERT_EQ(problem->reference(), first_missing(problem->parameter()["A"].get<std::string>()));
    }
  }
}

TEST(MinNonsubstring, TellsWrongFromInvalid) {
  const auto problem =
      restore_problem("MinNonsubstring", R"({"N": 5, "A": "aabba", "reference_answer": "aaa"})");
  EXPECT_TRUE(problem->score("aaa").solved);
  EXPECT_EQ(problem->score("bbb").reward, 0.0);  // missing too, but not the first
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("a a a").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
