// Edge lists of simple graphs: drawing, checking, looking up. Vertices are 0 … n − 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"

namespace redqueen {

using Edge = std::pair<int, int>;                         // from, to
using WeightedEdge = std::tuple<int, int, std::int64_t>;  // from, to, weight

enum class EdgeKind { kDirected, kUndirected };

// Bounds on parameters from outside: beyond these, tables grow large and sums might overflow.
inline constexpr int kMaxVertices = 1000;
inline constexpr std::int64_t kMaxWeight = 1'000'000'000;

// At least `least` and at most kMaxVertices vertices, ends in range, no loop, no pair twice (an
// undirected edge in either direction). The message speaks of "N" and "edges".
Status check_edges(int n, const std::vector<Edge>& edges, EdgeKind kind, int least = 2);

// The same of directed edges with weights of 1 … kMaxWeight.
Status check_edges(int n, const std::vector<WeightedEdge>& edges, int least = 2);

// The same of edges of a kind with weights of `least_weight` … kMaxWeight.
Status check_edges(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                   std::int64_t least_weight);

// A random simple directed graph that holds the edges of `path`, an order of all its vertices:
// further ordered pairs, uniformly drawn, join them until there are `count` (or all there can be).
// The edges of the path come first, in order.
std::vector<Edge> edges_on_path(std::span<const int> path, std::size_t count, Rng& rng);

// "0 3\n1 2": one edge a line. "0 3 7\n1 2 4" with weights.
std::string format_edges(const std::vector<Edge>& edges);
std::string format_edges(const std::vector<WeightedEdge>& edges);

// Weights of a directed graph by their ends; those of edges are at least 1.
class WeightTable {
 public:
  explicit WeightTable(int n)
      : n_(n), weights_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  WeightTable(int n, const std::vector<Edge>& edges);  // every weight 1
  WeightTable(int n, const std::vector<WeightedEdge>& edges);

  int size() const { return n_; }

  // 0: no such edge.
  std::int64_t operator()(int from, int to) const { return weights_[index(from, to)]; }
  void set(int from, int to, std::int64_t weight) { weights_[index(from, to)] = weight; }

  bool has_vertex(std::int64_t vertex) const { return vertex >= 0 && vertex < n_; }

  // Sum over the steps of a walk; nullopt if a vertex is out of range or a step is not an edge.
  std::optional<std::int64_t> walk_weight(std::span<const std::int64_t> walk) const;

 private:
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(n_) +
           static_cast<std::size_t>(to);
  }

  int n_;
  std::vector<std::int64_t> weights_;  // n × n, row by row
};

}  // namespace redqueen
