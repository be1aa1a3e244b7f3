#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Numbers = std::vector<std::int64_t>;

bool keeps(const Numbers& x, const Json& relation) {
  const auto left = x[relation[1].get<std::size_t>()];
  const auto right = x[relation[2].get<std::size_t>()];
  const std::array kept{left == right, left<right, left >= right, left> right, left <= right};
  return kept[relation[0].get<std::size_t>() - 1];
}

// Tries all values of 1 … n.
std::int64_t least_sum(std::int64_t n, const Json& relations) {
  std::int64_t best = n * n;
  Numbers x(static_cast<std::size_t>(n), 1);
  while (true) {
    const bool all =
        std::ranges::all_of(relations, [&](const Json& relation) { return keeps(x, relation); });
    if (all) best = std::min(best, std::accumulate(x.begin(), x.end(), std::int64_t{0}));
    std::size_t i = 0;
    while (i < x.size() && x[i] == n) x[i++] = 1;
    if (i == x.size()) return best;
    ++x[i];
  }
}

TEST(DifferenceConstraintSystemDAG, AgreesWithAllValues) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("DifferenceConstraintSystemDAG", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto x = *parse_int_list(problem->reference());
    for (const Json& relation : parameter["relations"]) EXPECT_TRUE(keeps(x, relation));
    const auto least = least_sum(parameter["N"].get<std::int64_t>(), parameter["relations"]);
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), least);
    EXPECT_EQ(parameter["gold_answer"].get<std::int64_t>(), least);
  }
}

TEST(DifferenceConstraintSystemDAG, PaysForRelationsAndThenForTheSum) {
  const auto problem = restore_problem(
      "DifferenceConstraintSystemDAG",
      R"({"N": 3, "M": 2, "relations": [[2, 0, 1], [3, 2, 1]], "reference_answer": "1 2 2",
          "gold_answer": 5})");
  EXPECT_EQ(problem->score("1 2 2").reward, 1.0);
  EXPECT_NEAR(problem->score("1 2 3").reward, 0.5 + 0.5 * std::pow(5.0 / 6, 5), 1e-12);
  EXPECT_NEAR(problem->score("1 1 1").reward, 0.5 / 32, 1e-12);
  EXPECT_EQ(problem->score("2 1 0").reward, 0.0);
  EXPECT_EQ(problem->score("1 2").reward, kMalformedReward);
  const Verdict huge = problem->score("1 9223372036854775807 9223372036854775807");
  EXPECT_GE(huge.reward, 0.5);
  EXPECT_FALSE(huge.solved);
}

TEST(DifferenceConstraintSystemDAG, RefusesAContradiction) {
  const Environment& environment = *Registry::native().find("DifferenceConstraintSystemDAG");
  const auto parameter = parse_json(
      R"({"N": 3, "M": 2, "relations": [[2, 0, 1], [2, 1, 0]], "reference_answer": "1 1 1",
          "gold_answer": 3})");
  EXPECT_FALSE(environment.restore(*parameter).has_value());
}

}  // namespace
}  // namespace redqueen
