#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool rises_then_falls(const List& values) {
  const auto top = std::ranges::max_element(values);
  return std::adjacent_find(values.begin(), top, std::greater_equal()) == top &&
         std::adjacent_find(top, values.end(), std::less_equal()) == values.end();
}

TEST(LisLdsConcatenation, KnowsTheLongestOfAllChoices) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("LIS_LDS_Concatenation", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto array = parameter["array"].get<List>();
    std::size_t most = 0;
    for (std::uint32_t chosen = 1; chosen < 1u << array.size(); ++chosen) {
      List values;
      for (std::size_t i = 0; i < array.size(); ++i) {
        if ((chosen >> i & 1) != 0) values.push_back(array[i]);
      }
      if (rises_then_falls(values)) most = std::max(most, values.size());
    }
    EXPECT_EQ(parameter["gold_answer"], most) << problem->prompt();
  }
}

TEST(LisLdsConcatenation, WantsStrictRiseAndFall) {
  const auto problem = restore_problem(
      "LIS_LDS_Concatenation", R"({"N": 5, "MAX": 9, "array": [1, 3, 3, 2, 2], "gold_answer": 3})");
  EXPECT_TRUE(problem->score("0 1 3").solved);
  EXPECT_TRUE(problem->score("0 2 4").solved);
  EXPECT_EQ(problem->score("0 1 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("").reward, kInvalidReward);
  EXPECT_DOUBLE_EQ(problem->score("1 3").reward, std::pow(2.0 / 3.0, 5));
}

}  // namespace
}  // namespace redqueen
