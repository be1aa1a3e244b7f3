// Small undirected graphs as sets of neighbours, a bit for every vertex.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

// Bit v: vertex v. At most 64 vertices.
using VertexSet = std::uint64_t;
inline constexpr int kMaxSetVertices = 64;

inline VertexSet single(int v) { return VertexSet{1} << v; }

// 0 … n − 1. 0 ≤ n ≤ 64.
inline VertexSet first_vertices(int n) { return n == 0 ? 0 : ~VertexSet{0} >> (64 - n); }

inline bool contains(VertexSet set, int v) { return (set >> v & 1) != 0; }

// Ascending.
inline std::vector<std::int64_t> members_of(VertexSet set) {
  std::vector<std::int64_t> vertices;
  vertices.reserve(static_cast<std::size_t>(std::popcount(set)));
  for (; set != 0; set &= set - 1) vertices.push_back(std::countr_zero(set));
  return vertices;
}

// The neighbours of every vertex.
using NeighbourSets = std::vector<VertexSet>;

inline NeighbourSets neighbour_sets(int n, std::span<const Edge> edges) {
  NeighbourSets near(static_cast<std::size_t>(n));
  for (const auto& [u, v] : edges) {
    near[u] |= single(v);
    near[v] |= single(u);
  }
  return near;
}

inline std::vector<int> degrees_of(int n, std::span<const Edge> edges) {
  std::vector<int> degrees(static_cast<std::size_t>(n));
  for (const auto& [u, v] : edges) {
    ++degrees[u];
    ++degrees[v];
  }
  return degrees;
}

// The vertices, those of high degree first; of equal degrees the smaller number first.
inline std::vector<int> vertices_by_degree(std::span<const int> degrees) {
  std::vector<int> order(degrees.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](int v) { return degrees[v]; });
  return order;
}

// `count` different pairs of n vertices, smaller end first, uniformly drawn and in random order.
// 0 ≤ count ≤ n (n − 1) / 2. O(n²) time and memory.
inline std::vector<Edge> draw_edges(int n, int count, Rng& rng) {
  std::vector<Edge> pairs;
  pairs.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n) / 2);
  for (int u = 0; u < n; ++u) {
    for (int v = u + 1; v < n; ++v) pairs.emplace_back(u, v);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(pairs[i], pairs[i + static_cast<std::size_t>(rng.below(pairs.size() - i))]);
  }
  pairs.resize(static_cast<std::size_t>(count));
  return pairs;
}

}  // namespace redqueen
