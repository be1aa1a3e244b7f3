#include "redqueen/gym/common/graph/edges.h"

#include <algorithm>
#include <iterator>

#include "redqueen/gym/common/graph/tree.h"

namespace redqueen {
namespace {

Status check_vertex_count(int n, int least) {
  if (n < least || n > kMaxVertices) {
    return failure("\"N\": expected {} to {} vertices, found {}", least, kMaxVertices, n);
  }
  return {};
}

Status check_weights(const std::vector<WeightedEdge>& edges, std::int64_t least) {
  for (const auto& [from, to, weight] : edges) {
    if (weight < least || weight > kMaxWeight) {
      return failure("\"edges\": expected weights of {} to {}, found {}", least, kMaxWeight,
                     weight);
    }
  }
  return {};
}

// `keys` identify the pairs.
Status check_distinct(std::vector<std::int64_t> keys) {
  std::ranges::sort(keys);
  if (std::ranges::adjacent_find(keys) != keys.end()) {
    return failure("\"edges\": an edge occurs twice");
  }
  return {};
}

Status check_ends(int n, int from, int to) {
  if (std::min(from, to) < 0 || std::max(from, to) >= n || from == to) {
    return failure("\"edges\": ({}, {}) is not an edge between two of the vertices 0 to {}", from,
                   to, n - 1);
  }
  return {};
}

void append(std::string& text, std::int64_t number) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

}  // namespace

Status check_edges(int n, const std::vector<Edge>& edges, EdgeKind kind, int least) {
  if (auto size = check_vertex_count(n, least); !size) return size;
  std::vector<std::int64_t> keys;
  keys.reserve(edges.size());
  for (auto [from, to] : edges) {
    if (auto ends = check_ends(n, from, to); !ends) return ends;
    if (kind == EdgeKind::kUndirected && from > to) std::swap(from, to);
    keys.push_back(std::int64_t{from} * n + to);
  }
  return check_distinct(std::move(keys));
}

Status check_edges(int n, const std::vector<WeightedEdge>& edges, int least) {
  if (auto weights = check_weights(edges, 1); !weights) return weights;
  return check_edges(n, ends_of(edges), EdgeKind::kDirected, least);
}

Status check_edges(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                   std::int64_t least_weight) {
  if (auto weights = check_weights(edges, least_weight); !weights) return weights;
  return check_edges(n, ends_of(edges), kind);
}

std::vector<Edge> edges_on_path(std::span<const int> path, std::size_t count, Rng& rng) {
  const int n = static_cast<int>(path.size());
  WeightTable taken(n);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    edges.emplace_back(path[i], path[i + 1]);
    taken.set(path[i], path[i + 1], 1);
  }
  if (count <= edges.size()) return edges;
  std::vector<Edge> free;
  free.reserve(path.size() * path.size());
  for (int from = 0; from < n; ++from) {
    for (int to = 0; to < n; ++to) {
      if (from != to && taken(from, to) == 0) free.emplace_back(from, to);
    }
  }
  const std::size_t more = std::min(count - edges.size(), free.size());
  for (std::size_t i = 0; i < more; ++i) {  // the beginning of a Fisher–Yates shuffle
    std::swap(free[i], free[i + static_cast<std::size_t>(rng.below(free.size() - i))]);
    edges.push_back(free[i]);
  }
  return edges;
}

std::string format_edges(const std::vector<Edge>& edges) {
  std::string text;
  for (const auto& [from, to] : edges) {
    if (!text.empty()) text += '\n';
    append(text, from);
    text += ' ';
    append(text, to);
  }
  return text;
}

std::string format_edges(const std::vector<WeightedEdge>& edges) {
  std::string text;
  for (const auto& [from, to, weight] : edges) {
    if (!text.empty()) text += '\n';
    append(text, from);
    text += ' ';
    append(text, to);
    text += ' ';
    append(text, weight);
  }
  return text;
}

WeightTable::WeightTable(int n, const std::vector<Edge>& edges) : WeightTable(n) {
  for (const auto& [from, to] : edges) set(from, to, 1);
}

WeightTable::WeightTable(int n, const std::vector<WeightedEdge>& edges) : WeightTable(n) {
  for (const auto& [from, to, weight] : edges) set(from, to, weight);
}

std::optional<std::int64_t> WeightTable::walk_weight(std::span<const std::int64_t> walk) const {
  if (!std::ranges::all_of(walk, [this](std::int64_t vertex) { return has_vertex(vertex); })) {
    return std::nullopt;
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i + 1 < walk.size(); ++i) {
    const std::int64_t weight = (*this)(static_cast<int>(walk[i]), static_cast<int>(walk[i + 1]));
    if (weight == 0) return std::nullopt;
    sum += weight;
  }
  return sum;
}

}  // namespace redqueen
