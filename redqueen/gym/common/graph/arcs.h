// The edges at every vertex of an undirected graph, in one block of memory.
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

namespace redqueen {

class Arcs {
 public:
  struct Arc {
    int to;
    int edge;  // its place in the edge list
  };

  // Edges, with weights or without, between vertices 0 … n − 1. O(n + edges) time and memory.
  template <typename AnyEdge>
  Arcs(int n, const std::vector<AnyEdge>& edges)
      : first_(static_cast<std::size_t>(n) + 1), arcs_(2 * edges.size()) {
    for (const AnyEdge& edge : edges) {
      ++first_[std::get<0>(edge)];
      ++first_[std::get<1>(edge)];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    for (std::size_t i = edges.size(); i-- > 0;) {
      const int u = std::get<0>(edges[i]);
      const int v = std::get<1>(edges[i]);
      arcs_[--first_[u]] = {v, static_cast<int>(i)};
      arcs_[--first_[v]] = {u, static_cast<int>(i)};
    }
  }

  // In the order of the edge list.
  std::span<const Arc> of(int v) const {
    return std::span(arcs_).subspan(first_[v], first_[v + 1] - first_[v]);
  }

 private:
  std::vector<std::size_t> first_;  // of a vertex; the last entry: how many arcs there are
  std::vector<Arc> arcs_;
};

}  // namespace redqueen
