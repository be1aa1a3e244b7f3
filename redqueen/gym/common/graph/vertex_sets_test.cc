#include "redqueen/gym/common/graph/vertex_sets.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/gym/common/graph/edge_density.h"

namespace redqueen {
namespace {

Rng set_rng(std::uint64_t index) {
  return Rng({.seed = 4, .purpose = hash_name("sets"), .step = 0, .index = index, .salt = 0});
}

TEST(VertexSets, HoldTheNeighboursOfEveryVertex) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng = set_rng(seed);
    const int n = static_cast<int>(rng.integer(1, kMaxSetVertices));
    const auto edges = draw_edges(n, static_cast<int>(rng.integer(0, n * (n - 1) / 2)), rng);
    const NeighbourSets near = neighbour_sets(n, edges);
    const std::set<Edge> known(edges.begin(), edges.end());
    const std::vector<int> degrees = degrees_of(n, edges);
    for (int u = 0; u < n; ++u) {
      EXPECT_EQ(near[u] & ~first_vertices(n), 0u);
      EXPECT_EQ(std::ssize(members_of(near[u])), degrees[u]);
      for (int v = 0; v < n; ++v) {
        EXPECT_EQ(contains(near[u], v), known.contains({std::min(u, v), std::max(u, v)}));
      }
    }
    const std::vector<int> order = vertices_by_degree(degrees);
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      EXPECT_GE(std::pair(degrees[order[i]], -order[i]),
                std::pair(degrees[order[i + 1]], -order[i + 1]));
    }
  }
}

TEST(VertexSets, DrawEveryEdgeSetOfASize) {
  Rng rng = set_rng(1000);
  std::set<std::vector<Edge>> seen;
  for (int i = 0; i < 500; ++i) {
    seen.insert(draw_edges(4, 2, rng));
    EXPECT_TRUE(check_edges(4, draw_edges(4, 5, rng), EdgeKind::kUndirected));
  }
  EXPECT_EQ(seen.size(), 6u * 5u);
}

TEST(EdgeDensity, IsDrawnWithinTheNumberOfEdges) {
  std::set<double> seen;
  Rng rng = set_rng(2000);
  for (int i = 0; i < 200; ++i) seen.insert(draw_density(kUndirectedDensities, 7, 5, 11, rng));
  EXPECT_EQ(seen, (std::set<double>{0.25, 0.35, 0.45, 0.55}));
  EXPECT_EQ(draw_density(kUndirectedDensities, 4, 4, 3, rng), 0.75);
  EXPECT_EQ(draw_density(kUndirectedDensities, 3, 9, 9, rng), 0.95);
}

}  // namespace
}  // namespace redqueen
