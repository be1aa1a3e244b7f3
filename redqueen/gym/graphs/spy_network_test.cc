#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool reach_all(const std::vector<List>& edges, const List& chosen, std::size_t n) {
  std::set<std::int64_t> reached(chosen.begin(), chosen.end());
  for (std::size_t round = 0; round < n; ++round) {
    for (const List& edge : edges) {
      if (reached.contains(edge[0])) reached.insert(edge[1]);
    }
  }
  return reached.size() == n;
}

TEST(SpyNetwork, PaysEachSetByTheCheapest) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("SpyNetwork", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto costs = parameter["costs"].get<List>();
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
      if (reach_all(edges, chosen, costs.size())) {
        choices.emplace_back(format_answer(chosen), cost);
        least = std::min(least, cost);
      } else {
        EXPECT_EQ(problem->score(format_answer(chosen)).reward, -0.3);
      }
    }
    for (const auto& [text, cost] : choices) {
      const Verdict verdict = problem->score(text);
      EXPECT_NEAR(verdict.reward, std::pow(least / cost, 3), 1e-9);
      EXPECT_EQ(verdict.solved, cost == least);
    }
  }
}

TEST(SpyNetwork, WantsOneOfEachLeadingCircle) {
  const auto problem =
      restore_problem("SpyNetwork",
                      R"({"N": 4, "edges": [[0, 1], [1, 0], [1, 2], [3, 2]], "costs": [5, 3, 1, 2],
          "gold_answer": 5})");
  EXPECT_TRUE(problem->score("3 1").solved);
  EXPECT_NEAR(problem->score("0 3").reward, std::pow(5.0 / 7.0, 3), 1e-12);
  EXPECT_EQ(problem->score("1 2").reward, -0.3);
  EXPECT_EQ(problem->score("1 1 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
