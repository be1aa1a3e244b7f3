#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Tries every order of every choice.
std::int64_t greatest_gain(const List& w, const List& r, std::uint32_t taken, std::int64_t loss) {
  std::int64_t best = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if ((taken >> i & 1) != 0) continue;
    best = std::max(best, w[i] - loss + greatest_gain(w, r, taken | 1u << i, loss + r[i]));
  }
  return best;
}

TEST(ValueDiminishingSelection, AgreesWithAllOrders) {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem =
        make_problem("ValueDiminishingSelection", static_cast<int>(seed % 4), seed);
    const Json p = problem->parameter();
    EXPECT_EQ(p["gold_answer"], greatest_gain(p["W"].get<List>(), p["R"].get<List>(), 0, 0))
        << problem->prompt();
  }
}

TEST(ValueDiminishingSelection, PaysByTheGain) {
  const auto problem = restore_problem(
      "ValueDiminishingSelection", R"({"N": 3, "W": [4, 3, 0], "R": [3, 1, 2], "gold_answer": 6})");
  EXPECT_TRUE(problem->score("1 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("0").reward, std::pow(4.0 / 6.0, 5));
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("2").reward, 0.0);
  for (const char* answer : {"0 0", "3", "-1"}) {
    EXPECT_EQ(problem->score(answer).reward, kInvalidReward) << answer;
  }
}

}  // namespace
}  // namespace redqueen
