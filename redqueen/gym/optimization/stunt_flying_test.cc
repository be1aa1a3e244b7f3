#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every sequence, place by place.
std::int64_t greatest_sum(const List& values, std::int64_t n, std::int64_t place, List& last) {
  if (place == n) return 0;
  std::int64_t best = 0;
  for (std::size_t figure = 0; figure < values.size(); ++figure) {
    const std::int64_t before = last[figure];
    last[figure] = place;
    const std::int64_t earned = before < 0 ? 0 : values[figure] * (place - before);
    best = std::max(best, earned + greatest_sum(values, n, place + 1, last));
    last[figure] = before;
  }
  return best;
}

TEST(StuntFlying, AgreesWithAllSequences) {
  const Environment& environment = *Registry::native().find("StuntFlying");
  Rng rng({.purpose = hash_name("stunts")});
  for (int round = 0; round < 120; ++round) {
    const std::int64_t n = rng.integer(2, 6);
    List values(rng.integer(1, 4));
    for (std::int64_t& value : values) value = rng.integer(1, 5);
    List last(values.size(), -1);
    const std::int64_t best = greatest_sum(values, n, 0, last);
    const auto problem =
        environment.restore({{"N", n}, {"K", values.size()}, {"C", values}, {"gold_answer", best}});
    ASSERT_TRUE(problem.has_value());
    EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
  }
}

TEST(StuntFlying, PaysByTheSum) {
  const auto problem =
      restore_problem("StuntFlying", R"({"N": 4, "K": 4, "C": [1, 1, 1, 2], "gold_answer": 7})");
  EXPECT_TRUE(problem->score("3 0 0 3").solved);
  EXPECT_TRUE(problem->score("3 2 2 3").solved);
  EXPECT_DOUBLE_EQ(problem->score("3 3 3 3").reward, std::pow(6.0 / 7.0, 5));
  EXPECT_EQ(problem->score("0 1 2 3").reward, 0.0);
  for (const char* answer : {"", "3 0 0", "3 0 0 3 0", "3 0 4 3", "3 -1 -1 3"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
