#include "redqueen/gym/common/graph/edges.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace redqueen {
namespace {

Rng edge_rng(std::uint64_t index) {
  return Rng({.seed = 3, .purpose = hash_name("edges"), .step = 0, .index = index, .salt = 0});
}

TEST(Edges, GrowOnThePathThatIsPlanted) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng = edge_rng(seed);
    const int n = static_cast<int>(rng.integer(2, 9));
    const std::vector<int> path = rng.permutation(n);
    const auto wanted = static_cast<std::size_t>(rng.integer(0, n * n));
    const std::vector<Edge> edges = edges_on_path(path, wanted, rng);
    EXPECT_TRUE(check_edges(n, edges, EdgeKind::kDirected));
    const std::size_t least = path.size() - 1;
    const std::size_t most = path.size() * least;
    EXPECT_EQ(edges.size(), std::clamp(wanted, least, most));
    for (std::size_t i = 0; i < least; ++i) EXPECT_EQ(edges[i], Edge(path[i], path[i + 1]));
  }
}

TEST(Edges, MayBeLimitedInWeight) {
  const std::vector<WeightedEdge> free{{0, 1, 0}, {2, 1, 3}};
  EXPECT_TRUE(check_edges(3, free, EdgeKind::kUndirected, 0));
  EXPECT_FALSE(check_edges(3, free, EdgeKind::kUndirected, 1));
  const std::vector<WeightedEdge> back{{0, 1, 2}, {1, 0, 3}};
  EXPECT_TRUE(check_edges(3, back, EdgeKind::kDirected, 1));
  EXPECT_FALSE(check_edges(3, back, EdgeKind::kUndirected, 1));
}

TEST(Edges, ReachEveryPair) {
  std::set<Edge> seen;
  Rng rng = edge_rng(1000);
  const std::vector<int> path{0, 1, 2, 3};
  for (int i = 0; i < 200; ++i) {
    const std::vector<Edge> edges = edges_on_path(path, 4, rng);
    seen.insert(edges.back());
  }
  EXPECT_EQ(seen.size(), 12u - 3u);
}

TEST(Edges, AreCheckedForLoopsRangesAndRepetitions) {
  EXPECT_TRUE(check_edges(3, {{0, 1}, {1, 0}}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(3, {{0, 1}, {1, 0}}, EdgeKind::kUndirected));
  EXPECT_FALSE(check_edges(3, {{0, 1}, {0, 1}}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(3, {{1, 1}}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(3, {{0, 3}}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(3, {{-1, 0}}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(1, std::vector<Edge>{}, EdgeKind::kDirected));
  EXPECT_FALSE(check_edges(kMaxVertices + 1, std::vector<Edge>{}, EdgeKind::kDirected));
  EXPECT_TRUE(check_edges(2, {{0, 1, 5}}));
  EXPECT_FALSE(check_edges(2, {{0, 1, 0}}));
  EXPECT_FALSE(check_edges(2, {{0, 1, kMaxWeight + 1}}));
}

TEST(Edges, AddUpAlongAWalk) {
  const WeightTable table(3, std::vector<WeightedEdge>{{0, 1, 5}, {1, 2, 7}, {2, 1, 1}});
  const auto weight = [&](std::vector<std::int64_t> walk) { return table.walk_weight(walk); };
  EXPECT_EQ(weight({0, 1, 2, 1}), 13);
  EXPECT_EQ(weight({2}), 0);
  EXPECT_EQ(weight({0, 2}), std::nullopt);
  EXPECT_EQ(weight({0, 3}), std::nullopt);
  EXPECT_EQ(weight({std::numeric_limits<std::int64_t>::min()}), std::nullopt);
}

TEST(Edges, AreWrittenOneALine) {
  EXPECT_EQ(format_edges(std::vector<Edge>{{0, 1}, {2, 0}}), "0 1\n2 0");
  EXPECT_EQ(format_edges(std::vector<WeightedEdge>{{0, 1, 5}}), "0 1 5");
}

}  // namespace
}  // namespace redqueen
