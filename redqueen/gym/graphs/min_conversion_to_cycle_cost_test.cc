#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(MinConversionToCycleCost, PaysEachCycleByTheCheapest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("MinConversionToCycleCost", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto from = parameter["A"].get<List>();
    const auto costs = parameter["C"].get<List>();
    List order(from.size());  // of the vertices along a cycle, 0 first
    std::iota(order.begin(), order.end(), 0);
    double least = 1e9;
    std::vector<std::pair<List, double>> cycles;
    do {
      List answer(from.size());
      double cost = 0;
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::int64_t to = order[(i + 1) % order.size()];
        answer[to] = order[i];
        if (order[i] != from[to]) cost += static_cast<double>(costs[to]);
      }
      cycles.emplace_back(answer, cost);
      least = std::min(least, cost);
    } while (std::next_permutation(order.begin() + 1, order.end()));
    for (const auto& [answer, cost] : cycles) {
      const Verdict verdict = problem->score(format_answer(answer));
      EXPECT_NEAR(verdict.reward, std::pow(least / cost, 3), 1e-9);
      EXPECT_EQ(verdict.solved, cost == least);
    }
  }
}

TEST(MinConversionToCycleCost, AcceptsACycleAsItIs) {
  const auto problem = restore_problem(
      "MinConversionToCycleCost", R"({"N": 3, "A": [2, 0, 1], "C": [1, 2, 3], "gold_answer": 0})");
  EXPECT_TRUE(problem->score("2 0 1").solved);
  EXPECT_EQ(problem->reference(), "2 0 1");
  EXPECT_EQ(problem->score("1 2 0").reward, 0.0);
  EXPECT_EQ(problem->score("1 0 2").reward, -0.2);
  EXPECT_EQ(problem->score("3 0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 0").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
