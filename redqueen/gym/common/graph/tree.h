// Trees: drawing them, rooting them, the sizes of their parts. Vertices are 0 … n − 1.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

struct RootedTree {
  std::vector<int> order;   // the vertices, the root first, every other one after its parent
  std::vector<int> parent;  // of a vertex; −1 of the root
  std::vector<int> edge;    // place in the edge list of the edge to the parent; −1 of the root
};

// nullopt unless the edges, whatever their ends, form a tree on n vertices that has the root.
// O(edges) time and memory.
std::optional<RootedTree> root_tree(int n, std::span<const Edge> edges, int root);

// The number of vertices in the subtree of every vertex, itself included.
std::vector<int> subtree_sizes(const RootedTree& tree);

// Joins every vertex of `order` but the first to a uniformly drawn earlier one: (earlier, later) in
// this order. `order` is not empty.
std::vector<Edge> random_recursive_tree(std::span<const int> order, Rng& rng);

// Joins vertices like random_recursive_tree(), but to a tree that is long, bushy or neither, by
// chance: a vertex joins one of the last few, one of the first few, or any. `order` is not empty.
std::vector<Edge> random_shaped_tree(std::span<const int> order, Rng& rng);

// The edges as a problem shows them: the smaller end first, in random order.
void disguise_edges(std::vector<Edge>& edges, Rng& rng);

// The same, with weights that are uniform in low … high.
std::vector<WeightedEdge> weigh_edges(std::vector<Edge> edges, std::int64_t low, std::int64_t high,
                                      Rng& rng);

// Weighted edges without their weights, in the same order.
std::vector<Edge> ends_of(std::span<const WeightedEdge> edges);

// The edges with `by` added to both ends: by = −1 for labels that count from 1.
std::vector<Edge> relabelled(std::span<const Edge> edges, int by);

// An error that speaks of "N" and "edges", unless the edges are those of a tree on the vertices
// first … first + n − 1. `least` and `most` bound n.
Status check_tree(int n, std::span<const Edge> edges, int first = 0, int least = 2,
                  int most = kMaxVertices);

}  // namespace redqueen
