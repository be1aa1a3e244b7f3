#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// What a person eats, in halves of calories, read off the rules.
int eaten(const std::vector<int>& calories, const std::vector<std::int64_t>& dishes,
          std::size_t person) {
  int sharing = 0;
  for (const std::int64_t dish : dishes) sharing += dish == dishes[person];
  return 2 * calories[static_cast<std::size_t>(dishes[person]) - 1] / sharing;
}

bool nobody_would_change(const std::vector<int>& calories, std::vector<std::int64_t> dishes) {
  for (std::size_t i = 0; i < dishes.size(); ++i) {
    const int now = eaten(calories, dishes, i);
    const std::int64_t kept = dishes[i];
    const auto own = static_cast<std::int64_t>(i) + 1;
    const std::int64_t next = i + 1 == dishes.size() ? 1 : own + 1;
    dishes[i] = kept == own ? next : own;
    if (eaten(calories, dishes, i) > now) return false;
    dishes[i] = kept;
  }
  return true;
}

TEST(LAS, SolvesExactlyTheChoicesThatNobodyWouldChange) {
  for (int level = 0; level <= 5; ++level) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto problem = make_problem("LAS", level, seed);
      const auto calories = problem->parameter()["A"].get<std::vector<int>>();
      const std::size_t n = calories.size();
      for (unsigned chosen = 0; chosen < 1U << n; ++chosen) {
        std::vector<std::int64_t> dishes;
        for (std::size_t i = 0; i < n; ++i) {
          dishes.push_back(static_cast<std::int64_t>((i + (chosen >> i & 1)) % n) + 1);
        }
        EXPECT_EQ(problem->score(format_answer(dishes)).solved,
                  nobody_would_change(calories, dishes))
            << problem->prompt() << "\n"
            << format_answer(dishes);
      }
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

TEST(LAS, TellsWrongNumbersFromWrongDishes) {
  const auto problem = restore_problem("LAS", R"({"N": 3, "A": [4, 6, 4]})");
  EXPECT_TRUE(problem->score("2 3 1").solved);
  EXPECT_NEAR(problem->score("2 3 3").reward, std::pow(1.0 / 3, 10), 1e-12);
  EXPECT_EQ(problem->score("3 2 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 3").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
