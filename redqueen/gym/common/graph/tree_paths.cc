#include "redqueen/gym/common/graph/tree_paths.h"

#include <algorithm>

namespace redqueen {
namespace {

// The vertex farthest from a vertex that is itself farthest from some vertex ends a longest path.
template <typename DepthsOf>
std::vector<int> path_between_farthest(int n, std::span<const Edge> ends, DepthsOf depths_of) {
  const auto farthest = [&](const RootedTree& tree) {
    const auto depth = depths_of(tree);
    return static_cast<int>(std::ranges::max_element(depth) - depth.begin());
  };
  const int end = farthest(*root_tree(n, ends, 0));
  const RootedTree tree = *root_tree(n, ends, end);
  return path_to_root(tree, farthest(tree));
}

}  // namespace

std::vector<int> depths(const RootedTree& tree) {
  std::vector<int> depth(tree.order.size());
  for (std::size_t i = 1; i < tree.order.size(); ++i) {
    const int v = tree.order[i];
    depth[v] = depth[tree.parent[v]] + 1;
  }
  return depth;
}

std::vector<std::int64_t> depths(const RootedTree& tree, std::span<const WeightedEdge> edges) {
  std::vector<std::int64_t> depth(tree.order.size());
  for (std::size_t i = 1; i < tree.order.size(); ++i) {
    const int v = tree.order[i];
    depth[v] = depth[tree.parent[v]] + std::get<2>(edges[tree.edge[v]]);
  }
  return depth;
}

std::vector<int> path_to_root(const RootedTree& tree, int vertex) {
  std::vector<int> path;
  for (; vertex >= 0; vertex = tree.parent[vertex]) path.push_back(vertex);
  return path;
}

std::vector<int> longest_path(int n, std::span<const Edge> edges) {
  return path_between_farthest(n, edges, [](const RootedTree& tree) { return depths(tree); });
}

std::vector<int> longest_path(int n, std::span<const WeightedEdge> edges) {
  return path_between_farthest(n, ends_of(edges),
                               [&](const RootedTree& tree) { return depths(tree, edges); });
}

std::vector<std::vector<int>> tree_distances(const RootedTree& tree) {
  const std::size_t n = tree.order.size();
  std::vector<std::vector<int>> distances(n, std::vector<int>(n));
  for (std::size_t i = 1; i < n; ++i) {
    const int v = tree.order[i];
    for (std::size_t k = 0; k < i; ++k) {
      const int u = tree.order[k];
      distances[v][u] = distances[u][v] = distances[tree.parent[v]][u] + 1;
    }
  }
  return distances;
}

std::vector<int> distances_to_nearest(const RootedTree& tree,
                                      std::span<const std::int64_t> sources) {
  std::vector<int> nearest(tree.order.size(), static_cast<int>(tree.order.size()));
  for (const std::int64_t source : sources) nearest[source] = 0;
  for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
    const int v = tree.order[i];
    nearest[tree.parent[v]] = std::min(nearest[tree.parent[v]], nearest[v] + 1);
  }
  for (std::size_t i = 1; i < tree.order.size(); ++i) {
    const int v = tree.order[i];
    nearest[v] = std::min(nearest[v], nearest[tree.parent[v]] + 1);
  }
  return nearest;
}

std::vector<int> degrees(int n, std::span<const Edge> edges) {
  std::vector<int> degree(static_cast<std::size_t>(n));
  for (const auto& [a, b] : edges) {
    ++degree[a];
    ++degree[b];
  }
  return degree;
}

}  // namespace redqueen
