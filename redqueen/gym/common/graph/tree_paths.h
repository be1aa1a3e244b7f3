// Distances and longest paths in trees. Vertices are 0 … n − 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/tree.h"

namespace redqueen {

// The number of edges between every vertex and the root.
std::vector<int> depths(const RootedTree& tree);

// The sum of the weights on the path from every vertex to the root. `edges` are those that the tree
// was rooted with.
std::vector<std::int64_t> depths(const RootedTree& tree, std::span<const WeightedEdge> edges);

// The vertex, its parent, and so on to the root.
std::vector<int> path_to_root(const RootedTree& tree, int vertex);

// The vertices of a path with most edges, from one end to the other. The edges form a tree on n ≥ 1
// vertices. O(n).
std::vector<int> longest_path(int n, std::span<const Edge> edges);

// The same by the sum of the weights, none of which is negative.
std::vector<int> longest_path(int n, std::span<const WeightedEdge> edges);

// The number of edges between every pair of vertices. n × n; O(n²).
std::vector<std::vector<int>> tree_distances(const RootedTree& tree);

// The number of edges from every vertex to the nearest of `sources`, which are vertices, at least
// one. O(n).
std::vector<int> distances_to_nearest(const RootedTree& tree,
                                      std::span<const std::int64_t> sources);

// The number of edges at every vertex.
std::vector<int> degrees(int n, std::span<const Edge> edges);

}  // namespace redqueen
