#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(TopologicalSort, JudgesAllOrders) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("TopologicalSort", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto conditions =
        parameter["before_conditions"].get<std::vector<std::vector<std::int64_t>>>();
    std::vector<std::int64_t> order(parameter["N"].get<std::size_t>());
    std::iota(order.begin(), order.end(), 0);
    int solutions = 0;
    do {
      double kept = 0;
      for (const auto& pair : conditions) {
        kept += std::ranges::find(order, pair[0]) < std::ranges::find(order, pair[1]);
      }
      const Verdict verdict = problem->score(format_answer(order));
      EXPECT_NEAR(verdict.reward, std::pow(kept / static_cast<double>(conditions.size()), 10),
                  1e-9);
      solutions += verdict.solved;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_GE(solutions, 1);
  }
}

TEST(TopologicalSort, RefusesContradictions) {
  const Environment& environment = *Registry::native().find("TopologicalSort");
  Json parameter{{"N", 3}};
  parameter["before_conditions"] = {{0, 1}, {1, 2}, {2, 0}};
  EXPECT_FALSE(environment.restore(parameter).has_value());
  parameter["before_conditions"] = {{0, 1}, {1, 2}};
  ASSERT_TRUE(environment.restore(parameter).has_value());
  EXPECT_TRUE((*environment.restore(parameter))->score("0 1 2").solved);
  EXPECT_EQ((*environment.restore(parameter))->score("0 1").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
