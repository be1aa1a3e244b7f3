#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Whether three or four non-negative integers can be joined to the target, one pair after the
// other.
bool reachable(const std::vector<std::int64_t>& numbers, std::int64_t target) {
  if (numbers.size() == 1) return numbers[0] == target;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      if (i == j) continue;
      std::vector<std::int64_t> rest;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (k != i && k != j) rest.push_back(numbers[k]);
      }
      std::vector<std::int64_t> results{numbers[i] + numbers[j], numbers[i] * numbers[j]};
      if (numbers[i] >= numbers[j]) results.push_back(numbers[i] - numbers[j]);
      if (numbers[j] > 0 && numbers[i] % numbers[j] == 0)
        results.push_back(numbers[i] / numbers[j]);
      for (const std::int64_t result : results) {
        rest.push_back(result);
        if (reachable(rest, target)) return true;
        rest.pop_back();
      }
    }
  }
  return false;
}

TEST(CountdownEqual, HasASolutionInWholeNumbers) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("CountdownEqual", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    EXPECT_TRUE(reachable(parameter["operands"].get<std::vector<std::int64_t>>(),
                          parameter["target"].get<std::int64_t>()));
  }
}

TEST(CountdownEqual, FindsASolutionWhereNoneIsGiven) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("CountdownEqual", static_cast<int>(seed % 21), seed);
    Json parameter = problem->parameter();
    parameter.erase("reference_answer");
    const auto restored = restore_problem("CountdownEqual", dump_json(parameter));
    EXPECT_TRUE(restored->score(restored->reference()).solved);
  }
}

TEST(CountdownEqual, CountsInExactFractions) {
  const auto problem = restore_problem(
      "CountdownEqual",
      R"({"num_operands": 4, "max_operand": 8, "max_target": 80, "target": 24, "operands": [8, 3, 8, 3]})");
  EXPECT_TRUE(problem->score("8/(3 - 8/3)").solved);
  EXPECT_EQ(problem->score("8*3 + 8 - 3").reward, 0.0);
  EXPECT_EQ(problem->score("8*3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("8**3 - 8*3").reward, kMalformedReward);
  EXPECT_EQ(problem->score("8/(3 - 3)*8").reward, kMalformedReward) << "division by 0";
  EXPECT_EQ(problem->score("8/(3 - 8/3) = 24").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
