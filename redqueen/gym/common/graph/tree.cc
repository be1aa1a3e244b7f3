#include "redqueen/gym/common/graph/tree.h"

#include <algorithm>

namespace redqueen {

std::optional<RootedTree> root_tree(int n, std::span<const Edge> edges, int root) {
  if (n < 1 || edges.size() != static_cast<std::size_t>(n) - 1 || root < 0 || root >= n) {
    return std::nullopt;
  }
  struct Link {
    int to;
    int edge;
  };
  std::vector<int> first(static_cast<std::size_t>(n) + 1);  // of a vertex's links in `links`
  for (const auto& [a, b] : edges) {
    if (std::min(a, b) < 0 || std::max(a, b) >= n) return std::nullopt;
    ++first[a];
    ++first[b];
  }
  for (int v = 1; v <= n; ++v) first[v] += first[v - 1];
  std::vector<Link> links(2 * edges.size());
  for (int i = static_cast<int>(edges.size()) - 1; i >= 0; --i) {
    const auto [a, b] = edges[i];
    links[--first[a]] = {b, i};
    links[--first[b]] = {a, i};
  }
  RootedTree tree{.order = {root},
                  .parent = std::vector<int>(static_cast<std::size_t>(n), -1),
                  .edge = std::vector<int>(static_cast<std::size_t>(n), -1)};
  tree.order.reserve(n);
  for (std::size_t next = 0; next < tree.order.size(); ++next) {
    const int v = tree.order[next];
    for (int k = first[v]; k < first[v + 1]; ++k) {
      const auto [to, edge] = links[k];
      if (edge == tree.edge[v]) continue;
      if (to == root || tree.edge[to] != -1) return std::nullopt;  // a cycle
      tree.parent[to] = v;
      tree.edge[to] = edge;
      tree.order.push_back(to);
    }
  }
  if (tree.order.size() != static_cast<std::size_t>(n)) return std::nullopt;
  return tree;
}

std::vector<int> subtree_sizes(const RootedTree& tree) {
  std::vector<int> sizes(tree.order.size(), 1);
  for (std::size_t i = tree.order.size() - 1; i > 0; --i) {
    const int v = tree.order[i];
    sizes[tree.parent[v]] += sizes[v];
  }
  return sizes;
}

std::vector<Edge> random_recursive_tree(std::span<const int> order, Rng& rng) {
  std::vector<Edge> edges;
  edges.reserve(order.size() - 1);
  for (std::size_t i = 1; i < order.size(); ++i) {
    edges.emplace_back(order[rng.below(i)], order[i]);
  }
  return edges;
}

std::vector<Edge> random_shaped_tree(std::span<const int> order, Rng& rng) {
  enum Shape : std::uint64_t { kLong, kBushy, kNeither };
  const auto shape = static_cast<Shape>(rng.below(3));
  if (shape == kNeither) return random_recursive_tree(order, rng);
  const std::size_t few = 1 + rng.below(1 + rng.below(1 + order.size() / 3));
  const double strictness = rng.real(0.7, 1.0);
  std::vector<Edge> edges;
  edges.reserve(order.size() - 1);
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t place = rng.below(rng.chance(strictness) ? std::min(few, i) : i);
    if (shape == kLong) place = i - 1 - place;
    edges.emplace_back(order[place], order[i]);
  }
  return edges;
}

void disguise_edges(std::vector<Edge>& edges, Rng& rng) {
  for (auto& [a, b] : edges) {
    if (a > b) std::swap(a, b);
  }
  rng.shuffle(edges);
}

std::vector<WeightedEdge> weigh_edges(std::vector<Edge> edges, std::int64_t low, std::int64_t high,
                                      Rng& rng) {
  disguise_edges(edges, rng);
  std::vector<WeightedEdge> weighted;
  weighted.reserve(edges.size());
  for (const auto& [a, b] : edges) weighted.emplace_back(a, b, rng.integer(low, high));
  return weighted;
}

std::vector<Edge> ends_of(std::span<const WeightedEdge> edges) {
  std::vector<Edge> ends;
  ends.reserve(edges.size());
  for (const auto& [a, b, weight] : edges) ends.emplace_back(a, b);
  return ends;
}

std::vector<Edge> relabelled(std::span<const Edge> edges, int by) {
  std::vector<Edge> moved;
  moved.reserve(edges.size());
  for (const auto& [a, b] : edges) moved.emplace_back(a + by, b + by);
  return moved;
}

Status check_tree(int n, std::span<const Edge> edges, int first, int least, int most) {
  if (n < least || n > most) {
    return failure("\"N\": expected {} to {} vertices, found {}", least, most, n);
  }
  const int last = first + n - 1;
  for (const auto& [a, b] : edges) {
    if (std::min(a, b) < first || std::max(a, b) > last) {
      return failure("\"edges\": ({}, {}) is not an edge between two of the vertices {} to {}", a,
                     b, first, last);
    }
  }
  if (!root_tree(n, relabelled(edges, -first), 0)) {
    return failure("\"edges\": not the edges of a tree on the vertices {} to {}", first, last);
  }
  return {};
}

}  // namespace redqueen
