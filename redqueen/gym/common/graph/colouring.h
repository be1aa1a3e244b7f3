// Colourings of the vertices of a graph as answers: one integer a vertex, whatever integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/graph/edges.h"
#include "redqueen/gym/common/graph/vertex_sets.h"

namespace redqueen {

struct Colouring {
  std::vector<int> colour;  // of a vertex: 0 … count − 1
  int count = 0;            // of colours, each in use
};

// The same partition of the vertices with other names.
inline Colouring renamed(std::span<const std::int64_t> answer) {
  std::vector<std::int64_t> names(answer.begin(), answer.end());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  Colouring colouring{.colour = {}, .count = static_cast<int>(names.size())};
  colouring.colour.reserve(answer.size());
  for (const std::int64_t name : answer) {
    colouring.colour.push_back(
        static_cast<int>(std::ranges::lower_bound(names, name) - names.begin()));
  }
  return colouring;
}

// nullopt: not a colour for each of n vertices, or an edge whose ends have one colour.
inline std::optional<Colouring> proper_colouring(int n, std::span<const Edge> edges,
                                                 std::span<const std::int64_t> answer) {
  if (std::ssize(answer) != n) return std::nullopt;
  for (const auto& [u, v] : edges) {
    if (answer[u] == answer[v]) return std::nullopt;
  }
  return renamed(answer);
}

// A random colour for each of n vertices, such that each of 0 … count − 1 is in use. count ≤ n.
inline std::vector<int> draw_classes(int n, int count, Rng& rng) {
  std::vector<int> colours(static_cast<std::size_t>(n));
  for (int v = 0; v < n; ++v) {
    colours[v] = v < count ? v : static_cast<int>(rng.below(static_cast<std::uint64_t>(count)));
  }
  rng.shuffle(colours);
  return colours;
}

// Each vertex in `order` takes the smallest colour that none of its neighbours has.
inline std::vector<std::int64_t> first_fit_colouring(const NeighbourSets& near,
                                                     std::span<const int> order) {
  std::vector<std::int64_t> colours(near.size());
  std::vector<VertexSet> classes;
  for (const int v : order) {
    std::size_t colour = 0;
    while (colour < classes.size() && (classes[colour] & near[v]) != 0) ++colour;
    if (colour == classes.size()) classes.push_back(0);
    classes[colour] |= single(v);
    colours[v] = static_cast<std::int64_t>(colour);
  }
  return colours;
}

// Names of the four orders of try_vertex_orders().
struct VertexOrderNames {
  std::string_view high_first, low_first, ascending, descending;
};

// Visits colour(order) for the vertices by degree, high ones first and low ones first, and by
// number, ascending and descending; ends with true as soon as visit(name, colours) is true.
template <typename Colour, typename Visit>
bool try_vertex_orders(std::span<const int> degrees, const VertexOrderNames& names, Colour colour,
                       Visit visit) {
  std::vector<int> order = vertices_by_degree(degrees);
  if (visit(names.high_first, colour(order))) return true;
  std::ranges::reverse(order);
  if (visit(names.low_first, colour(order))) return true;
  std::iota(order.begin(), order.end(), 0);
  if (visit(names.ascending, colour(order))) return true;
  std::ranges::reverse(order);
  return visit(names.descending, colour(order));
}

}  // namespace redqueen
