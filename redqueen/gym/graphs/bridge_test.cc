#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Edges = std::vector<std::pair<int, int>>;

// Whether a path joins the two without the edge of that index; labels spread until none changes.
bool joined_without(const Edges& edges, std::size_t left_out, int from, int to) {
  std::vector<int> reached{from};
  for (std::size_t size = 0; size != reached.size();) {
    size = reached.size();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (i == left_out) continue;
      const auto known = [&](int vertex) { return std::ranges::count(reached, vertex) > 0; };
      const auto [u, v] = edges[i];
      if (known(u) && !known(v)) reached.push_back(v);
      if (known(v) && !known(u)) reached.push_back(u);
    }
  }
  return std::ranges::count(reached, to) > 0;
}

TEST(Bridge, AgreesWithTheRemovalOfEveryEdge) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("Bridge", static_cast<int>(seed % 8), seed);
    const auto edges = problem->parameter()["edges"].get<Edges>();
    std::vector<std::int64_t> bridges;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (joined_without(edges, i, edges[i].first, edges[i].second)) continue;
      bridges.push_back(edges[i].first);
      bridges.push_back(edges[i].second);
    }
    EXPECT_EQ(problem->reference(), format_answer(bridges)) << problem->prompt();
  }
}

TEST(Bridge, PaysForTheShareOfBridgesListed) {
  const auto problem =
      restore_problem("Bridge", R"({"N": 6, "component_num": 2, "edge_density": 0.1, )"
                                R"("edges": [[0, 1], [1, 2], [0, 2], [2, 3], [4, 3]]})");
  EXPECT_EQ(problem->score("3 4 3 2").reward, 1.0);
  EXPECT_NEAR(problem->score("3 4").reward, std::pow(0.5, 5), 1e-12);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("3 4 4 3").reward, kInvalidReward) << "listed twice";
  EXPECT_EQ(problem->score("3 4 0 1").reward, kInvalidReward) << "on a cycle";
  EXPECT_EQ(problem->score("3 4 3 5").reward, kInvalidReward) << "no edge";
  EXPECT_FALSE(problem->score("3 4 3").well_formed);
}

TEST(Bridge, IsNotSolvedByListingAllEdgesOrLeaves) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const int level = static_cast<int>(seed % 12);
    const auto problem = make_problem("Bridge", level, seed);
    for (const NamedAnswer& shortcut : problem->shortcuts()) {
      if (level < 2 && shortcut.rule != "all edges") continue;
      EXPECT_FALSE(problem->score(shortcut.answer).solved) << shortcut.rule << "\n"
                                                           << problem->prompt();
    }
  }
}

}  // namespace
}  // namespace redqueen
