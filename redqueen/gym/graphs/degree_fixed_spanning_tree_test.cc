#include <algorithm>
#include <bit>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Whether edges reach all vertices from 0, by spreading until nothing changes.
bool reaches_all(const std::vector<List>& edges, std::size_t n) {
  std::set<std::int64_t> reached{0};
  for (std::size_t round = 0; round < n; ++round) {
    for (const List& edge : edges) {
      if (reached.contains(edge[0]) || reached.contains(edge[1])) {
        reached.insert(edge[0]);
        reached.insert(edge[1]);
      }
    }
  }
  return reached.size() == n;
}

TEST(DegreeFixed_SpanningTree, JudgesAllSetsOfEdges) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("DegreeFixed_SpanningTree", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto degrees = parameter["degrees"].get<List>();
    int solutions = 0;
    for (unsigned set = 0; set < 1u << edges.size(); ++set) {
      if (std::popcount(set) + 1 != static_cast<int>(degrees.size())) continue;
      std::vector<List> chosen;
      List answer;
      List times(degrees.size());
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        chosen.push_back(edges[i]);
        for (const std::int64_t end : edges[i]) {
          answer.push_back(end);
          ++times[end];
        }
      }
      double expected = kInvalidReward;
      if (reaches_all(chosen, degrees.size())) {
        double right = 0;
        for (std::size_t v = 0; v < degrees.size(); ++v) right += times[v] == degrees[v];
        expected = std::pow(right / static_cast<double>(degrees.size()), 5);
      }
      EXPECT_NEAR(problem->score(format_answer(answer)).reward, expected, 1e-9);
      solutions += expected == 1.0;
    }
    EXPECT_GE(solutions, 1);
  }
}

TEST(DegreeFixed_SpanningTree, WantsEdgesOfTheGraph) {
  const auto problem = restore_problem(
      "DegreeFixed_SpanningTree",
      R"({"N": 4, "edges": [[0, 1], [1, 2], [2, 3], [0, 3]], "degrees": [2, 1, 1, 2],
          "reference_answer": "0 1 0 3 2 3"})");
  EXPECT_TRUE(problem->score("3 0 3 2 1 0").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 1 2 2 3").reward, 0.0);
  EXPECT_EQ(problem->score("0 2 0 3 0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 1 0 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 0 3").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("0 1 0 3 2").well_formed);
}

}  // namespace
}  // namespace redqueen
