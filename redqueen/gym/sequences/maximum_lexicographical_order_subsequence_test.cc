#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(MaximumLexicographicalOrderSubsequence, IsTheGreatestOfAll) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem =
        make_problem("MaximumLexicographicalOrderSubsequence", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    std::vector<std::int64_t> greatest;
    for (std::uint32_t chosen = 0; chosen < 1u << a.size(); ++chosen) {
      std::vector<std::int64_t> values;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if ((chosen >> i & 1) != 0) values.push_back(a[i]);
      }
      if (values.size() == parameter["K"]) greatest = std::max(greatest, values);
    }
    EXPECT_EQ(problem->reference(), format_answer(greatest)) << problem->prompt();
  }
}

TEST(MaximumLexicographicalOrderSubsequence, WantsASubsequence) {
  const auto problem =
      restore_problem("MaximumLexicographicalOrderSubsequence",
                      R"({"N": 4, "K": 2, "A": [2, 4, 1, 3], "gold_answer": [4, 3]})");
  EXPECT_TRUE(problem->score("4 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("4 1").reward, std::pow(0.5, 5));
  EXPECT_EQ(problem->score("3 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
