#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::set<std::pair<int, int>>;

// Every order of the vertices, one by one: the score must be the share of its steps that are edges.
TEST(HamiltonianPathExistence, ScoresEveryOrderByItsSteps) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const auto problem = make_problem("HamiltonianPathExistence", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<Edges>();
    std::vector<int> order(parameter["N"].get<std::size_t>());
    std::iota(order.begin(), order.end(), 0);
    bool exists = false;
    do {
      int steps = 0;
      for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        steps += edges.contains({order[i], order[i + 1]}) ? 1 : 0;
      }
      const bool whole = steps == static_cast<int>(order.size()) - 1;
      const Verdict verdict = problem->score(format_answer(order));
      EXPECT_EQ(verdict.solved, whole);
      EXPECT_NEAR(verdict.reward, std::pow(steps / (static_cast<double>(order.size()) - 1.0), 5),
                  1e-12);
      exists = exists || whole;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_TRUE(exists);
  }
}

TEST(HamiltonianPathExistence, RefusesWhatIsNotAnOrder) {
  const auto problem = restore_problem(
      "HamiltonianPathExistence",
      R"({"N": 3, "edges": [[0, 1], [1, 2], [2, 1]], "reference_answer": "0 1 2"})");
  EXPECT_TRUE(problem->score("0 1 2").solved);
  EXPECT_NEAR(problem->score("0 2 1").reward, std::pow(0.5, 5), 1e-12);
  EXPECT_EQ(problem->score("0 1 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 -> 1 -> 2").well_formed);
}

TEST(HamiltonianPathExistence, IsNotSolvedByTheAscendingOrder) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem =
        make_problem("HamiltonianPathExistence", static_cast<int>(seed % 12), seed);
    for (const NamedAnswer& shortcut : problem->shortcuts()) {
      if (shortcut.rule == "ascending order") {
        EXPECT_FALSE(problem->score(shortcut.answer).solved);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
