#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

// Tries every set.
std::int64_t greatest_value(const Numbers& weights, const Numbers& values, std::int64_t capacity) {
  std::int64_t best = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << weights.size(); ++set) {
    std::int64_t weight = 0;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weight += (set >> i & 1) * weights[i];
      value += (set >> i & 1) * values[i];
    }
    if (weight <= capacity) best = std::max(best, value);
  }
  return best;
}

TEST(Knapsack, AgreesWithAllSubsets) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Knapsack", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto weights = parameter["W"].get<Numbers>();
    const auto values = parameter["V"].get<Numbers>();
    const auto capacity = parameter["W_max"].get<std::int64_t>();
    const std::int64_t best = greatest_value(weights, values, capacity);
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), best);
    std::int64_t weight = 0;
    std::int64_t value = 0;
    const auto chosen = parse_int_list(problem->reference());
    ASSERT_TRUE(chosen.has_value());
    for (const std::int64_t item : *chosen) {
      weight += weights[item];
      value += values[item];
    }
    EXPECT_LE(weight, capacity);
    EXPECT_EQ(value, best);
  }
}

TEST(Knapsack, PaysByValueAndKeepsTheRules) {
  const auto problem = restore_problem(
      "Knapsack", R"({"N": 3, "W": [2, 2, 3], "V": [3, 2, 4], "W_max": 4, "gold_answer": 5})");
  EXPECT_EQ(problem->score("1 0").reward, 1.0);
  EXPECT_NEAR(problem->score("2").reward, std::pow(0.8, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("0 2").reward, kInvalidReward) << "too heavy";
  EXPECT_EQ(problem->score("0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
}

TEST(Knapsack, IsNotSolvedByGreed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("Knapsack", 2 + static_cast<int>(seed % 8), seed);
    EXPECT_FALSE(problem->score(problem->shortcuts()[0].answer).solved) << problem->prompt();
    EXPECT_FALSE(problem->score(problem->shortcuts()[1].answer).solved) << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
