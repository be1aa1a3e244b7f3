#include <set>

#include "redqueen/gym/common/number/rational.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Least distance from the target of all values that joining one pair after the other leads to.
void search(const std::vector<Rational>& numbers, const Rational& target, Rational& least) {
  if (numbers.size() == 1) {
    least = std::min(least, Rational(abs(numbers[0] - target)));
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      if (i == j) continue;
      std::vector<Rational> rest;
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (k != i && k != j) rest.push_back(numbers[k]);
      }
      std::vector<Rational> results{numbers[i] + numbers[j], numbers[i] - numbers[j],
                                    numbers[i] * numbers[j]};
      if (numbers[j] != 0) results.push_back(numbers[i] / numbers[j]);
      for (const Rational& result : results) {
        rest.push_back(result);
        search(rest, target, least);
        rest.pop_back();
      }
    }
  }
}

TEST(CountdownClose, IsSolvedByTheNearestValueOnly) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("CountdownClose", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const auto operands = parameter["operands"].get<std::vector<std::int64_t>>();
    Rational least = 1'000'000;
    search({operands.begin(), operands.end()}, parameter["target"].get<std::int64_t>(), least);
    const Verdict verdict = problem->score(problem->reference());
    EXPECT_TRUE(verdict.solved);
    EXPECT_NEAR(verdict.reward, 1.0 / (1.0 + least.convert_to<double>()), 1e-12);
    Rng rng({.seed = seed, .purpose = hash_name("close"), .step = 0, .index = 0, .salt = 0});
    for (int i = 0; i < 20; ++i) {
      const Verdict other = problem->score(problem->random_answer(rng));
      EXPECT_EQ(other.solved, other.reward >= verdict.reward);
    }
  }
}

TEST(CountdownClose, CanBeSolvedAtEveryLevel) {
  for (int level = 0; level <= 20; ++level) {
    const auto problem = make_problem("CountdownClose", level, 5);
    Json parameter = problem->parameter();
    parameter.erase("reference_answer");
    const auto restored = restore_problem("CountdownClose", dump_json(parameter));
    EXPECT_TRUE(restored->score(restored->reference()).solved) << level;
  }
}

TEST(CountdownClose, PaysByDistance) {
  const auto problem =
      restore_problem("CountdownClose",
                      R"({"num_operands": 3, "max_operand": 8, "max_target": 80, "target": 65,
                                           "operands": [5, 8, 8], "reference_result": 69.0})");
  EXPECT_TRUE(problem->score("8*8 + 5").solved);
  EXPECT_NEAR(problem->score("8*8 + 5").reward, 0.2, 1e-12);
  EXPECT_NEAR(problem->score("8*8 - 5").reward, 1.0 / 7.0, 1e-12);
  EXPECT_FALSE(problem->score("8*8 - 5").solved);
  EXPECT_EQ(problem->score("8*8").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
