#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(Maximum_IndependentSet_Tree, JudgesAllSetsOfVertices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("Maximum_IndependentSet_Tree", static_cast<int>(seed % 7), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto weights = parameter["R"].get<List>();
    std::int64_t most = 0;
    for (unsigned set = 0; set < 1u << weights.size(); ++set) {
      const bool is_independent = std::ranges::all_of(
          edges, [&](const List& edge) { return (set >> edge[0] & 1) + (set >> edge[1] & 1) < 2; });
      List chosen;
      std::int64_t weight = 0;
      for (std::size_t v = 0; v < weights.size(); ++v) {
        if ((set >> v & 1) == 0) continue;
        chosen.push_back(static_cast<std::int64_t>(v));
        weight += weights[v];
      }
      if (is_independent) most = std::max(most, weight);
      if (set % 5 != 0) continue;
      const double reward = problem->score(format_answer(chosen)).reward;
      EXPECT_EQ(reward == kInvalidReward, !is_independent) << format_answer(chosen);
    }
    EXPECT_EQ(parameter["reference_weight"], most) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
}

TEST(Maximum_IndependentSet_Tree, PaysByTheWeight) {
  const auto problem = restore_problem(
      "Maximum_IndependentSet_Tree",
      R"({"N": 3, "edges": [[0, 1], [1, 2]], "R": [2, 3, 2], "reference_weight": 4})");
  EXPECT_TRUE(problem->score("2 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("1").reward, std::pow(0.75, 3));
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
