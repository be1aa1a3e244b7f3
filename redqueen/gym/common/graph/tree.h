// Trees: drawing them, rooting them, the sizes of their parts. Vertices are 0 … n − 1.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "redqueen/core/rng.h"
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

// Of every vertex: how many vertices its subtree has, itself included.
std::vector<int> subtree_sizes(const RootedTree& tree);

// Joins every vertex of `order` but the first to a uniformly drawn earlier one: (earlier, later) in
// this order. `order` is not empty.
std::vector<Edge> random_recursive_tree(std::span<const int> order, Rng& rng);

// The edges as a problem shows them: the smaller end first, in random order.
void disguise_edges(std::vector<Edge>& edges, Rng& rng);

}  // namespace redqueen
