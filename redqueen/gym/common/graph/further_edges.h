// Completes graphs as the published generators do: a tree or a path first, then any other pairs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/parameter/sample.h"

namespace redqueen {

// Pairs of the vertices 0 … n − 1 that are not among the edges, uniformly drawn and in random
// order, as many as `total` exceeds the number of edges; all such pairs if there are fewer. An
// undirected one has its smaller end first. O(n²).
template <typename AnyEdge>
std::vector<Edge> draw_further_edges(int n, const std::vector<AnyEdge>& edges, EdgeKind kind,
                                     std::int64_t total, Rng& rng) {
  std::vector<Edge> further;
  const std::int64_t missing = total - static_cast<std::int64_t>(edges.size());
  if (missing <= 0) return further;
  const bool directed = kind == EdgeKind::kDirected;
  const auto width = static_cast<std::size_t>(n);
  std::vector<char> taken(width * width);
  for (const AnyEdge& edge : edges) {
    const auto from = static_cast<std::size_t>(std::get<0>(edge));
    const auto to = static_cast<std::size_t>(std::get<1>(edge));
    taken[from * width + to] = 1;
    if (!directed) taken[to * width + from] = 1;
  }
  for (int from = 0; from < n; ++from) {
    for (int to = directed ? 0 : from + 1; to < n; ++to) {
      const std::size_t place =
          static_cast<std::size_t>(from) * width + static_cast<std::size_t>(to);
      if (from != to && taken[place] == 0) further.emplace_back(from, to);
    }
  }
  keep_sample(further, static_cast<std::size_t>(missing), rng);
  return further;
}

}  // namespace redqueen
