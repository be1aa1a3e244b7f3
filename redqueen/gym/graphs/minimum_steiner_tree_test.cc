#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Whether each edge, and each vertex of the list, is reached from the first vertex of the list.
bool joins(const std::vector<List>& edges, const List& vertices) {
  std::set<std::int64_t> reached{vertices[0]};
  for (std::size_t round = 0; round < edges.size(); ++round) {
    for (const List& edge : edges) {
      if (reached.contains(edge[0]) || reached.contains(edge[1])) {
        reached.insert({edge[0], edge[1]});
      }
    }
  }
  const auto has = [&](std::int64_t v) { return reached.contains(v); };
  return std::ranges::all_of(vertices, has) &&
         std::ranges::all_of(edges, [&](const List& edge) { return has(edge[0]); });
}

TEST(MinimumSteinerTree, PaysEachSetOfEdgesByTheLightest) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MinimumSteinerTree", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto vertices = parameter["to_be_connected"].get<List>();
    if (edges.size() > 13) continue;
    ++tried;
    std::vector<std::pair<std::string, double>> choices;
    double least = 1e9;
    for (unsigned set = 0; set < 1u << edges.size(); ++set) {
      std::vector<List> chosen;
      List ends;
      double weight = 0;
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if ((set >> i & 1) == 0) continue;
        chosen.push_back(edges[i]);
        ends.insert(ends.end(), {edges[i][1], edges[i][0]});
        weight += static_cast<double>(edges[i][2]);
      }
      if (joins(chosen, vertices)) {
        choices.emplace_back(format_answer(ends), weight);
        least = std::min(least, weight);
      } else {
        EXPECT_EQ(problem->score(format_answer(ends)).reward, kInvalidReward);
      }
    }
    for (const auto& [text, weight] : choices) {
      EXPECT_NEAR(problem->score(text).reward, std::pow(least / weight, 5), 1e-9);
    }
    EXPECT_TRUE(problem->score(problem->reference()).solved);
  }
  EXPECT_GT(tried, 20);
}

// Few and many vertices to join are searched for in different ways.
TEST(MinimumSteinerTree, JoinsManyVertices) {
  const auto few =
      restore_problem("MinimumSteinerTree",
                      R"({"N": 4, "edges": [[0, 3, 1], [1, 3, 1], [2, 3, 1], [0, 1, 2], [1, 2, 2]],
          "to_be_connected": [0, 2], "gold_answer": 2})");
  EXPECT_TRUE(few->score("0 3 3 2").solved);
  const auto many =
      restore_problem("MinimumSteinerTree",
                      R"({"N": 4, "edges": [[0, 3, 1], [1, 3, 1], [2, 3, 1], [0, 1, 2], [1, 2, 2]],
          "to_be_connected": [2, 0, 1, 3], "gold_answer": 3})");
  EXPECT_TRUE(many->score("0 3 3 2 1 3").solved);
  EXPECT_NEAR(many->score("0 3 3 2 1 3 3 1").reward, std::pow(0.75, 5), 1e-12);
  EXPECT_EQ(many->score("0 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
