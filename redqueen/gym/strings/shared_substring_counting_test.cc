#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The longest common beginnings of all pairs of endings, added up.
std::int64_t by_table(const std::string& s, const std::string& t) {
  std::vector<std::int64_t> below(t.size() + 1, 0);
  std::int64_t pairs = 0;
  for (std::size_t i = s.size(); i > 0; --i) {
    std::vector<std::int64_t> row(t.size() + 1, 0);
    for (std::size_t j = 0; j < t.size(); ++j) {
      if (s[i - 1] == t[j]) row[j] = 1 + below[j + 1];
      pairs += row[j];
    }
    below = row;
  }
  return pairs;
}

TEST(SharedSubstringCounting, AgreesWithTheTableOfCommonBeginnings) {
  for (int level = 0; level <= 24; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("SharedSubstringCounting", level, seed);
      const Json drawn = problem->parameter();
      ASSERT_EQ(problem->reference(), std::to_string(by_table(drawn["S"].get<std::string>(),
                                                              drawn["T"].get<std::string>())))
          << drawn.dump();
    }
  }
}

TEST(SharedSubstringCounting, CountsPlacesOfOneLetter) {
  const auto problem = restore_problem("SharedSubstringCounting",
                                       R"({"S": "aaa", "T": "aa", "reference_answer": 8})");
  EXPECT_TRUE(problem->score("8").solved);
  EXPECT_DOUBLE_EQ(problem->score("10").reward, std::pow(0.8, 10));
  EXPECT_FALSE(problem->score("-8").well_formed);
  const auto apart = restore_problem("SharedSubstringCounting",
                                     R"({"S": "aaa", "T": "bb", "reference_answer": 0})");
  EXPECT_TRUE(apart->score("0").solved);
  EXPECT_EQ(apart->score("1").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
