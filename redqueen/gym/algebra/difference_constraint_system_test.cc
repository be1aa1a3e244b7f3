#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Pairs = std::vector<std::pair<int, int>>;
using Numbers = std::vector<std::int64_t>;

// Least N with which N unknowns keep all inequalities, by trying every assignment of a box.
TEST(DifferenceConstraintSystem, ScoresEveryAssignmentOfABox) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto problem = make_problem("DifferenceConstraintSystem", 0, seed);
    const Json parameter = problem->parameter();
    const auto pairs = parameter["inequations"].get<Pairs>();
    const auto results = parameter["results"].get<Numbers>();
    int solutions = 0;
    for (std::int64_t a = -4; a <= 4; ++a) {
      for (std::int64_t b = -4; b <= 4; ++b) {
        for (std::int64_t c = -4; c <= 4; ++c) {
          const std::array x{a, b, c};
          double kept = 0;
          for (std::size_t k = 0; k < pairs.size(); ++k) {
            const auto from = static_cast<std::size_t>(pairs[k].first);
            const auto to = static_cast<std::size_t>(pairs[k].second);
            kept += x[from] <= x[to] + results[k];
          }
          const Verdict verdict = problem->score(fmt::format("{} {} {}", a, b, c));
          EXPECT_NEAR(verdict.reward, std::pow(kept / static_cast<double>(pairs.size()), 5), 1e-12);
          EXPECT_EQ(verdict.solved, kept == static_cast<double>(pairs.size()));
          solutions += verdict.solved;
        }
      }
    }
    EXPECT_GT(solutions, 0);
    EXPECT_LT(solutions, 200) << "of 729";
  }
}

// The system has a solution, and not that of all zeros: relaxing the bounds finds one, but not at
// once.
TEST(DifferenceConstraintSystem, NeedsMoreThanAGlance) {
  int rounds_needed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("DifferenceConstraintSystem", 6, seed);
    const Json parameter = problem->parameter();
    const auto pairs = parameter["inequations"].get<Pairs>();
    const auto results = parameter["results"].get<Numbers>();
    Numbers x(parameter["N"].get<std::size_t>(), 0);
    EXPECT_FALSE(problem->score(format_answer(x)).solved);
    int round = 0;
    for (bool changed = true; changed && round < 1000; ++round) {
      changed = false;
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        auto& left = x[pairs[k].first];
        const auto bound = x[pairs[k].second] + results[k];
        changed |= left > bound;
        left = std::min(left, bound);
      }
    }
    EXPECT_TRUE(problem->score(format_answer(x)).solved);
    rounds_needed += round;
  }
  EXPECT_GT(rounds_needed, 120);
}

TEST(DifferenceConstraintSystem, TakesAnswersOfAnySize) {
  const auto problem = restore_problem(
      "DifferenceConstraintSystem",
      R"({"N": 2, "M": 2, "x": [0, 3], "inequations": [[0, 1], [1, 0]], "results": [-3, 3]})");
  EXPECT_TRUE(
      problem->score("100000000000000000000000000000 100000000000000000000000000003").solved);
  EXPECT_FALSE(
      problem->score("100000000000000000000000000000 100000000000000000000000000002").solved);
  EXPECT_EQ(problem->score("1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
