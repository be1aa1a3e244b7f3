#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool serves_all(const std::vector<List>& edges, const List& chosen, std::size_t n) {
  std::set<std::int64_t> served(chosen.begin(), chosen.end());
  for (const List& edge : edges) {
    for (const int end : {0, 1}) {
      if (std::ranges::find(chosen, edge[end]) != chosen.end()) served.insert(edge[1 - end]);
    }
  }
  return served.size() == n;
}

TEST(Minimum_DominatingSet, PaysEachSetByTheCheapest) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("Minimum_DominatingSet", static_cast<int>(seed % 8), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto costs = parameter["C"].get<List>();
    double least = 1e9;
    std::vector<std::pair<std::string, double>> choices;
    for (unsigned set = 0; set < 1u << costs.size(); ++set) {
      List chosen;
      double cost = 0;
      for (std::size_t v = 0; v < costs.size(); ++v) {
        if ((set >> v & 1) == 0) continue;
        chosen.push_back(static_cast<std::int64_t>(v));
        cost += static_cast<double>(costs[v]);
      }
      if (serves_all(edges, chosen, costs.size())) {
        choices.emplace_back(format_answer(chosen), cost);
        least = std::min(least, cost);
      } else {
        EXPECT_EQ(problem->score(format_answer(chosen)).reward, kInvalidReward);
      }
    }
    for (const auto& [text, cost] : choices) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(least / cost, 5), 1e-9);
      EXPECT_EQ(verdict.solved, cost == least);
    }
  }
}

TEST(Minimum_DominatingSet, WantsVerticesAloneChosen) {
  const auto problem = restore_problem(
      "Minimum_DominatingSet",
      R"({"N": 4, "edges": [[0, 1], [1, 2]], "C": [1, 3, 1, 5], "gold_answer": 7})");
  EXPECT_TRUE(problem->score("3 2 0").solved);
  EXPECT_NEAR(problem->score("1 3").reward, std::pow(7.0 / 8.0, 5), 1e-12);
  EXPECT_EQ(problem->score("1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
