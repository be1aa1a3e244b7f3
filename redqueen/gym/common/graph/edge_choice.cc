#include "redqueen/gym/common/graph/edge_choice.h"

#include <limits>

#include "redqueen/core/answer.h"
#include "redqueen/gym/common/graph/tree.h"

namespace redqueen {
namespace {

// Calls visit(place, to) for each edge that leaves `from`.
template <typename Visit>
void for_each_leaving(const std::vector<WeightedEdge>& edges, EdgeKind kind, int from,
                      Visit visit) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& [a, b, weight] = edges[i];
    if (a == from) visit(static_cast<int>(i), b);
    if (kind == EdgeKind::kUndirected && b == from) visit(static_cast<int>(i), a);
  }
}

}  // namespace

std::optional<std::vector<std::int64_t>> parse_edge_ends(std::string_view text) {
  auto ends = parse_int_list(text);
  if (ends && ends->size() % 2 != 0) ends.reset();
  return ends;
}

std::optional<std::vector<int>> EdgePlaces::of(std::span<const std::int64_t> ends) const {
  std::vector<int> places;
  places.reserve(ends.size() / 2);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    places.push_back((*this)(ends[i], ends[i + 1]));
    if (places.back() < 0) return std::nullopt;
  }
  return places;
}

std::vector<int> places_by_weight(const std::vector<WeightedEdge>& edges) {
  std::vector<int> places = all_places(edges);
  std::ranges::sort(places, {}, [&](int i) { return std::pair(std::get<2>(edges[i]), i); });
  return places;
}

std::int64_t weight_of(const std::vector<WeightedEdge>& edges, std::span<const int> places) {
  std::int64_t sum = 0;
  for (const int place : places) sum += std::get<2>(edges[place]);
  return sum;
}

std::vector<int> breadth_first_places(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                                      int root) {
  std::vector<char> reached(static_cast<std::size_t>(n));
  std::vector<int> queue{root};
  std::vector<int> places;
  reached[root] = 1;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for_each_leaving(edges, kind, queue[next], [&](int place, int to) {
      if (std::exchange(reached[to], 1) != 0) return;
      queue.push_back(to);
      places.push_back(place);
    });
  }
  return places;
}

std::vector<int> shortest_path_places(int n, const std::vector<WeightedEdge>& edges, EdgeKind kind,
                                      int root) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> distance(static_cast<std::size_t>(n), kFar);
  std::vector<int> last(distance.size(), -1);  // edge of the path to a vertex
  std::vector<char> settled(distance.size());
  std::vector<int> places;
  distance[root] = 0;
  while (true) {
    int from = -1;
    for (int v = 0; v < n; ++v) {
      if (settled[v] != 0 || distance[v] == kFar) continue;
      if (from < 0 || distance[v] < distance[from]) from = v;
    }
    if (from < 0) return places;
    settled[from] = 1;
    if (from != root) places.push_back(last[from]);
    for_each_leaving(edges, kind, from, [&](int place, int to) {
      const std::int64_t along = distance[from] + std::get<2>(edges[place]);
      if (settled[to] != 0 || along >= distance[to]) return;
      distance[to] = along;
      last[to] = place;
    });
  }
}

std::vector<Edge> draw_connected_edges(int n, std::size_t count, Rng& rng) {
  const std::vector<int> order = rng.permutation(n);
  std::vector<Edge> edges = random_recursive_tree(order, rng);
  if (count > edges.size()) {
    std::vector<char> taken(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    for (const auto& [a, b] : edges) {
      taken[static_cast<std::size_t>(std::min(a, b)) * n + std::max(a, b)] = 1;
    }
    std::vector<Edge> free;
    free.reserve(taken.size() / 2);
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (taken[static_cast<std::size_t>(a) * n + b] == 0) free.emplace_back(a, b);
      }
    }
    const std::size_t more = std::min(count - edges.size(), free.size());
    for (std::size_t i = 0; i < more; ++i) {  // the beginning of a Fisher–Yates shuffle
      std::swap(free[i], free[i + static_cast<std::size_t>(rng.below(free.size() - i))]);
      edges.push_back(free[i]);
    }
  }
  disguise_edges(edges, rng);
  return edges;
}

}  // namespace redqueen
