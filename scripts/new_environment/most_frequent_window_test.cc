#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int occurrences(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Tries every word of two letters, in the order of the alphabet.
TEST(MostFrequentWindow, IsTheFirstOfTheMostFrequentWords) {
  const Environment& environment = *Registry::native().find("MostFrequentWindow");
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = environment.generate(3, seed);
    ASSERT_TRUE(problem.has_value());
    const auto text = (*problem)->parameter()["S"].get<std::string>();
    std::string best;
    int most = 0;
    for (char a = 'a'; a <= 'e'; ++a) {
      for (char b = 'a'; b <= 'e'; ++b) {
        const std::string word{a, b};
        if (const int count = occurrences(text, word); count > most) {
          most = count;
          best = word;
        }
      }
    }
    ASSERT_EQ((*problem)->reference(), best) << text;
  }
}

TEST(MostFrequentWindow, CountsOverlaps) {
  const auto problem = restore_problem("MostFrequentWindow", R"({"S": "aaabcbc", "K": 2})");
  EXPECT_TRUE(problem->score("aa").solved);
  EXPECT_EQ(problem->score("bc").reward, 0.0);
  EXPECT_FALSE(problem->score("xx").well_formed);
}

}  // namespace
}  // namespace redqueen
