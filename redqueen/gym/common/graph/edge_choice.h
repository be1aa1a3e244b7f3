// Choices among the edges of a simple graph: answers that name edges by their ends, spanning trees,
// and connected graphs to choose from. A choice is a list of places in the edge list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/graph/disjoint_sets.h"
#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

// "u1 v1 u2 v2 …", as a list of ends; nullopt for text that is no list of integers, or an odd
// number of them.
std::optional<std::vector<std::int64_t>> parse_edge_ends(std::string_view text);

// The places of edges in their list, by their ends. It holds n² numbers.
class EdgePlaces {
 public:
  template <typename AnyEdge>
  EdgePlaces(int n, const std::vector<AnyEdge>& edges, EdgeKind kind)
      : n_(n), places_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), -1) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const int from = std::get<0>(edges[i]);
      const int to = std::get<1>(edges[i]);
      places_[index(from, to)] = static_cast<int>(i);
      if (kind == EdgeKind::kUndirected) places_[index(to, from)] = static_cast<int>(i);
    }
  }

  // −1: no edge. Any numbers will do.
  int operator()(std::int64_t from, std::int64_t to) const {
    if (std::min(from, to) < 0 || std::max(from, to) >= n_) return -1;
    return places_[index(from, to)];
  }

  // The places of the edges with these ends, an even number of them; nullopt if one is no edge.
  std::optional<std::vector<int>> of(std::span<const std::int64_t> ends) const;

 private:
  std::size_t index(std::int64_t from, std::int64_t to) const {
    return static_cast<std::size_t>(from * n_ + to);
  }

  std::int64_t n_;
  std::vector<int> places_;  // n × n
};

// The ends of the edges at these places, as an answer lists them.
template <typename AnyEdge>
std::vector<std::int64_t> edge_ends(const std::vector<AnyEdge>& edges,
                                    std::span<const int> places) {
  std::vector<std::int64_t> ends;
  ends.reserve(2 * places.size());
  for (const int place : places) {
    ends.push_back(std::get<0>(edges[place]));
    ends.push_back(std::get<1>(edges[place]));
  }
  return ends;
}

// 0, 1, …: all places of an edge list.
template <typename AnyEdge>
std::vector<int> all_places(const std::vector<AnyEdge>& edges) {
  std::vector<int> places(edges.size());
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// All places, those of light edges first, edges of one weight in the order of the list.
std::vector<int> places_by_weight(const std::vector<WeightedEdge>& edges);

std::int64_t weight_of(const std::vector<WeightedEdge>& edges, std::span<const int> places);

// Takes places in `order`, one after another, but those of edges that close a cycle with edges
// taken before. By weight this is a minimum spanning forest (J. Kruskal, "On the shortest spanning
// subtree of a graph and the traveling salesman problem", 1956).
template <typename AnyEdge>
std::vector<int> acyclic_places(int n, const std::vector<AnyEdge>& edges,
                                std::span<const int> order) {
  DisjointSets sets(n);
  std::vector<int> taken;
  taken.reserve(static_cast<std::size_t>(n));
  for (const int place : order) {
    if (sets.join(std::get<0>(edges[place]), std::get<1>(edges[place]))) taken.push_back(place);
  }
  return taken;
}

// True if the edges at these places are a tree on all vertices.
template <typename AnyEdge>
bool is_spanning_tree(int n, const std::vector<AnyEdge>& edges, std::span<const int> places) {
  DisjointSets sets(n);
  for (const int place : places) {
    if (!sets.join(std::get<0>(edges[place]), std::get<1>(edges[place]))) return false;
  }
  return sets.sets() == 1;
}

template <typename AnyEdge>
bool is_connected(int n, const std::vector<AnyEdge>& edges) {
  DisjointSets sets(n);
  for (const AnyEdge& edge : edges) sets.join(std::get<0>(edge), std::get<1>(edge));
  return sets.sets() == 1;
}

// The edges by which a breadth-first search from `root` first reaches each vertex, near ones first.
// It looks at edges in the order of the list. O(n·edges).
std::vector<int> breadth_first_places(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                                      int root);

// The last edges of shortest paths from `root` to all vertices in reach, near ones first.
// O(n² + n·edges).
std::vector<int> shortest_path_places(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                                      int root);

// A random connected graph of max(count, n − 1) edges, or as many as there can be: a random
// recursive tree and further pairs, uniformly drawn. Smaller ends first, in random order. n ≥ 1.
std::vector<Edge> draw_connected_edges(int n, std::size_t count, Rng& rng);

// The first ones of ascending numbers whose edges_of(number) is at least `least`, at most `count`
// of them. The last number alone if none is.
template <typename Numbers, typename EdgesOf>
std::vector<double> sparsest(const Numbers& numbers, std::size_t count, std::int64_t least,
                             EdgesOf edges_of) {
  std::vector<double> chosen;
  for (const double number : numbers) {
    if (chosen.size() < count && edges_of(number) >= least) chosen.push_back(number);
  }
  if (chosen.empty()) chosen.push_back(*std::prev(std::end(numbers)));
  return chosen;
}

}  // namespace redqueen
