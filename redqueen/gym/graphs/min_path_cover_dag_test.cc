#include <algorithm>
#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// The least weight of paths that together use every edge, by the sets of edges that paths from 1
// use: each set costs what its cheapest path does, and sets join until all edges are in.
std::int64_t least_by_sets(const std::vector<List>& edges) {
  std::map<unsigned, std::int64_t> path_sets;  // edges of a path, as bits, and its weight
  const auto extend = [&](auto&& self, std::int64_t vertex, unsigned set,
                          std::int64_t weight) -> void {
    if (set != 0) path_sets.emplace(set, weight);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i][0] == vertex) self(self, edges[i][1], set | 1u << i, weight + edges[i][2]);
    }
  };
  extend(extend, 1, 0, 0);
  const unsigned all = (1u << edges.size()) - 1;
  List least(all + 1, std::int64_t{1} << 40);
  least[0] = 0;
  for (unsigned covered = 0; covered <= all; ++covered) {
    for (const auto& [set, weight] : path_sets) {
      std::int64_t& joined = least[covered | set];
      joined = std::min(joined, least[covered] + weight);
    }
  }
  return least[all];
}

TEST(MinPathCover_DAG, KnowsTheLeastOfAllCovers) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("MinPathCover_DAG", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    EXPECT_EQ(parameter["gold_answer"], least_by_sets(edges)) << problem->prompt();
    EXPECT_TRUE(problem->score(problem->reference()).solved) << problem->reference();
  }
}

TEST(MinPathCover_DAG, WantsAllEdgesOnPathsFromOne) {
  const auto problem =
      restore_problem("MinPathCover_DAG",
                      R"({"N": 3, "edges": [[1, 3, 2], [3, 2, 5], [1, 2, 4]], "gold_answer": 11})");
  EXPECT_TRUE(problem->score("1 3 2\n1 2").solved);
  EXPECT_TRUE(problem->score("1 2\n1\n1 3 2").solved);
  EXPECT_DOUBLE_EQ(problem->score("1 3\n1 3 2\n1 2").reward, std::pow(11.0 / 13.0, 5));
  EXPECT_EQ(problem->score("1 3 2").reward, -0.2);
  EXPECT_EQ(problem->score("").reward, -0.2);
  EXPECT_EQ(problem->score("1 3 2\n3 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 3 2\n1 2 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 x").well_formed);
}

TEST(MinPathCover_DAG, RefusesCyclesAndVerticesOutOfReach) {
  const Environment& environment = *Registry::native().find("MinPathCover_DAG");
  const auto cycle = parse_json(
      R"({"N": 4, "edges": [[1, 2, 1], [2, 3, 1], [3, 4, 1], [4, 2, 1]], "gold_answer": 4})");
  EXPECT_FALSE(environment.restore(*cycle));
  const auto apart = parse_json(R"({"N": 4, "edges": [[1, 2, 1], [3, 4, 1]], "gold_answer": 2})");
  EXPECT_FALSE(environment.restore(*apart));
}

}  // namespace
}  // namespace redqueen
