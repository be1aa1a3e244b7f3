#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

int longest_run(std::uint32_t bits, int n) {
  int longest = 0;
  int run = 0;
  for (int i = 0; i < n; ++i) {
    run = i > 0 && (bits >> i & 1) == (bits >> (i - 1) & 1) ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  return longest;
}

TEST(ShortestUnicolorSubstring, KnowsTheBestOfAllStrings) {
  for (int n = 1; n <= 8; ++n) {
    for (std::uint32_t given = 0; given < 1u << n; ++given) {
      for (int k = 0; k <= n; ++k) {
        int best = n;
        for (std::uint32_t changed = 0; changed < 1u << n; ++changed) {
          if (std::popcount(given ^ changed) <= k) best = std::min(best, longest_run(changed, n));
        }
        std::string s;
        for (int i = 0; i < n; ++i) s += (given >> i & 1) != 0 ? '1' : '0';
        const auto problem =
            restore_problem("ShortestUnicolorSubstring",
                            dump_json(Json{{"N", n}, {"S", s}, {"K", k}, {"gold_answer", best}}));
        ASSERT_NE(problem, nullptr) << s << ' ' << k;
        ASSERT_TRUE(problem->score(problem->reference()).solved) << s << ' ' << k;
      }
    }
  }
}

TEST(ShortestUnicolorSubstring, PaysByTheLongestRun) {
  const auto problem = restore_problem("ShortestUnicolorSubstring",
                                       R"({"N": 6, "S": "000000", "K": 1, "gold_answer": 3})");
  EXPECT_TRUE(problem->score("000100").solved);
  EXPECT_DOUBLE_EQ(problem->score("010000").reward, std::pow(0.75, 5));
  EXPECT_EQ(problem->score("010100").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("00010").well_formed);
  EXPECT_FALSE(problem->score("000 100").well_formed);
}

}  // namespace
}  // namespace redqueen
