#include "redqueen/gym/common/graph/edge_choice.h"
#include "redqueen/gym/common/graph/edge_density.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/core/answer.h"
#include "redqueen/gym/common/graph/tree.h"

namespace redqueen {
namespace {

Rng test_rng(std::uint64_t index) {
  return Rng(
      {.seed = 1, .purpose = hash_name("edge choice"), .step = 0, .index = index, .salt = 0});
}

std::vector<WeightedEdge> graph(int n, Rng& rng) {
  const auto count = static_cast<std::size_t>(rng.integer(0, 12));
  return weigh_edges(draw_connected_edges(n, count, rng), 1, 9, rng);
}

TEST(EdgeChoice, FindsEdgesByTheirEnds) {
  const std::vector<Edge> edges{{0, 2}, {2, 1}};
  const EdgePlaces undirected(3, edges, EdgeKind::kUndirected);
  const EdgePlaces directed(3, edges, EdgeKind::kDirected);
  EXPECT_EQ(undirected(2, 0), 0);
  EXPECT_EQ(directed(2, 0), -1);
  EXPECT_EQ(directed(2, 1), 1);
  EXPECT_EQ(undirected(kHugePositive, 0), -1);
  EXPECT_EQ(undirected(0, kHugeNegative), -1);
  const std::vector<std::int64_t> ends{1, 2, 0, 2};
  EXPECT_EQ(undirected.of(ends), std::vector({1, 0}));
  EXPECT_EQ(directed.of(ends), std::nullopt);
  EXPECT_THAT(edge_ends(edges, std::vector{1, 0}), testing::ElementsAre(2, 1, 0, 2));
  EXPECT_TRUE(parse_edge_ends("1 2 0 2").has_value());
  EXPECT_FALSE(parse_edge_ends("1 2 0").has_value());
}

TEST(EdgeChoice, KnowsSpanningTrees) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng = test_rng(seed);
    const int n = static_cast<int>(rng.integer(2, 6));
    const auto edges = graph(n, rng);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (unsigned set = 0; set < 1u << edges.size(); ++set) {
      std::vector<int> places;
      std::vector<Edge> chosen;
      for (int i = 0; i < static_cast<int>(edges.size()); ++i) {
        if ((set >> i & 1) == 0) continue;
        places.push_back(i);
        chosen.emplace_back(std::get<0>(edges[i]), std::get<1>(edges[i]));
      }
      const bool tree = root_tree(n, chosen, 0).has_value();
      EXPECT_EQ(is_spanning_tree(n, edges, places), tree);
      if (tree) least = std::min(least, weight_of(edges, places));
    }
    const auto lightest = acyclic_places(n, edges, places_by_weight(edges));
    EXPECT_TRUE(is_spanning_tree(n, edges, lightest));
    EXPECT_EQ(weight_of(edges, lightest), least);
  }
}

TEST(EdgeChoice, DrawsConnectedGraphs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng = test_rng(seed);
    const int n = static_cast<int>(rng.integer(1, 9));
    const std::int64_t count = rng.integer(0, 40);
    const std::vector<Edge> edges = draw_connected_edges(n, static_cast<std::size_t>(count), rng);
    EXPECT_EQ(std::ssize(edges), std::clamp<std::int64_t>(count, n - 1, n * (n - 1) / 2));
    EXPECT_TRUE(check_edges(n, edges, EdgeKind::kUndirected, 1).has_value());
    EXPECT_TRUE(is_connected(n, edges));
    for (const auto& [a, b] : edges) EXPECT_LT(a, b);
  }
}

// Distances from vertex 0 along the edges of a tree.
std::vector<std::int64_t> distances(int n, const std::vector<WeightedEdge>& edges,
                                    const std::vector<int>& places, bool weighted) {
  std::vector<std::int64_t> distance(static_cast<std::size_t>(n), 1'000'000);
  distance[0] = 0;
  for (int round = 0; round < n; ++round) {
    for (const int place : places) {
      const auto& [a, b, weight] = edges[place];
      const std::int64_t step = weighted ? weight : 1;
      distance[a] = std::min(distance[a], distance[b] + step);
      distance[b] = std::min(distance[b], distance[a] + step);
    }
  }
  return distance;
}

TEST(EdgeChoice, SearchesKeepDistances) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng = test_rng(seed);
    const int n = static_cast<int>(rng.integer(2, 8));
    const auto edges = graph(n, rng);
    const auto broad = breadth_first_places(n, edges, EdgeKind::kUndirected, 0);
    const auto near = shortest_path_places(n, edges, EdgeKind::kUndirected, 0);
    EXPECT_TRUE(is_spanning_tree(n, edges, broad));
    EXPECT_TRUE(is_spanning_tree(n, edges, near));
    const auto all = all_places(edges);
    EXPECT_EQ(distances(n, edges, broad, false), distances(n, edges, all, false));
    EXPECT_EQ(distances(n, edges, near, true), distances(n, edges, all, true));
  }
}

TEST(EdgeChoice, TakesTheSparsestThatDo) {
  const std::vector<double> numbers{0.1, 0.3, 0.5};
  const auto edges_of = [](double number) { return undirected_edges_at(5, number); };
  EXPECT_THAT(sparsest(numbers, 2, 2, edges_of), testing::ElementsAre(0.3, 0.5));
  EXPECT_THAT(sparsest(numbers, 1, 0, edges_of), testing::ElementsAre(0.1));
  EXPECT_THAT(sparsest(numbers, 2, 9, edges_of), testing::ElementsAre(0.5));
}

}  // namespace
}  // namespace redqueen
