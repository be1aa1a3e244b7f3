#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(KthSubsequence, AgreesWithTheListOfAll) {
  for (const std::string s : {"a", "ab", "bab", "aabba", "bababb", "abbabaab"}) {
    std::set<std::string> list;
    for (std::uint32_t chosen = 1; chosen < 1u << s.size(); ++chosen) {
      std::string subsequence;
      for (std::size_t i = 0; i < s.size(); ++i) {
        if ((chosen >> i & 1) != 0) subsequence += s[i];
      }
      list.insert(subsequence);
    }
    std::size_t place = 0;
    for (const std::string& expected : list) {
      const auto problem = restore_problem(
          "KthSubsequence",
          dump_json(
              Json{{"N", s.size()}, {"S", s}, {"K", ++place}, {"reference_answer", expected}}));
      EXPECT_TRUE(problem->score(expected).solved);
    }
    const Json beyond{{"N", s.size()}, {"S", s}, {"K", place + 1}, {"reference_answer", s}};
    EXPECT_FALSE(Registry::native().find("KthSubsequence")->restore(beyond));
  }
}

TEST(KthSubsequence, CountsLongStringsExactly) {
  for (const int level : {22, 25, 30}) {
    const auto problem = make_problem("KthSubsequence", level, 1);
    EXPECT_TRUE(Registry::native().find("KthSubsequence")->restore(problem->parameter()));
  }
}

TEST(KthSubsequence, CallsOtherLettersMalformed) {
  const auto problem =
      restore_problem("KthSubsequence", R"({"N": 2, "S": "ab", "K": 2, "reference_answer": "ab"})");
  EXPECT_FALSE(problem->score("\"ab\"").well_formed);
  EXPECT_EQ(problem->score("b").reward, 0.0);
  EXPECT_EQ(problem->score("").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
