#include <algorithm>
#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every choice.
List greatest_worths(const List& s, const List& a) {
  List best(s.size(), 0);
  for (std::uint32_t set = 1; set < std::uint32_t{1} << s.size(); ++set) {
    std::int64_t farthest = 0;
    std::int64_t weights = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      farthest = std::max(farthest, s[i]);
      weights += a[i];
    }
    auto& worth = best[std::popcount(set) - 1];
    worth = std::max(worth, 2 * farthest + weights);
  }
  return best;
}

TEST(SalesmanFatigue, AgreesWithAllChoices) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("SalesmanFatigue", static_cast<int>(seed % 8), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["gold_answer"].get<List>(), greatest_worths(p["S"].get<List>(), p["A"].get<List>()))
        << problem->prompt();
  }
}

TEST(SalesmanFatigue, PaysByTheShareOfRightValues) {
  const auto problem =
      restore_problem("SalesmanFatigue",
                      R"({"N": 3, "S": [4, 4, 4], "A": [3, 1, 3], "gold_answer": [11, 14, 15]})");
  EXPECT_TRUE(problem->score("11 14 15").solved);
  EXPECT_DOUBLE_EQ(problem->score("11 15 15").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("0 0 0").reward, 0.0);
  EXPECT_EQ(problem->score("11 14").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
