#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(BucketSorting, AgreesWithCountingEachNumber) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("BucketSorting", static_cast<int>(seed % 15), seed);
    const auto list = problem->parameter()["array"].get<std::vector<std::int64_t>>();
    const auto times = [&](std::int64_t number) { return std::ranges::count(list, number); };
    int commonest = 0;
    for (std::int64_t number = -1; number <= 20; ++number) {
      const bool is_best = std::ranges::none_of(
          list, [&](std::int64_t other) { return times(other) > times(number); });
      const double reward = problem->score(format_answer(number)).reward;
      EXPECT_EQ(reward, times(number) == 0 ? -0.5 : is_best ? 1.0 : 0.0) << problem->prompt();
      commonest += is_best;
    }
    EXPECT_EQ(commonest, 1) << problem->prompt();
  }
}

TEST(BucketSorting, TakesAnyOfSeveralCommonest) {
  const auto problem =
      restore_problem("BucketSorting", R"({"N": 5, "MAX": 9, "array": [7, 3, 7, 3, 9]})");
  EXPECT_TRUE(problem->score("7").solved);
  EXPECT_TRUE(problem->score("3").solved);
  EXPECT_EQ(problem->score("9").reward, 0.0);
}

}  // namespace
}  // namespace redqueen
