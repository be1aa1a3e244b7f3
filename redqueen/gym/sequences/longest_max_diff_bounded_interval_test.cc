#include <algorithm>
#include <span>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(LongestMaxDiffBoundedInterval, KnowsTheLongestOfAllBlocks) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem =
        make_problem("LongestMaxDiffBoundedInterval", static_cast<int>(seed % 12), seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<std::vector<std::int64_t>>();
    std::size_t longest = 0;
    for (std::size_t first = 0; first < a.size(); ++first) {
      for (std::size_t length = 1; first + length <= a.size(); ++length) {
        const auto [least, most] = std::ranges::minmax(std::span(a).subspan(first, length));
        if (most - least <= parameter["K"]) longest = std::max(longest, length);
      }
    }
    EXPECT_EQ(parameter["gold_answer"], longest) << problem->prompt();
  }
}

TEST(LongestMaxDiffBoundedInterval, TellsBadBlocksApart) {
  const auto problem = restore_problem("LongestMaxDiffBoundedInterval",
                                       R"({"N": 4, "A": [0, 1, 3, 2], "K": 2, "gold_answer": 3})");
  EXPECT_TRUE(problem->score("1 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 4").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("0 3").reward, -0.2);
  EXPECT_EQ(problem->score("1 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 3 4").well_formed);
}

}  // namespace
}  // namespace redqueen
