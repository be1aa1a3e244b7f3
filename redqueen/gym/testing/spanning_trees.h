// Spanning trees by trying all sets of edges, for tests.
#pragma once

#include <bit>
#include <cstdint>
#include <set>
#include <vector>

namespace redqueen {

// Calls visit(chosen, is_tree) for each set of as many edges as a tree on the vertices
// first … first + n − 1 has. An edge is a list that begins with its ends. At most 31 edges.
template <typename Visit>
void for_each_edge_set(int n, const std::vector<std::vector<std::int64_t>>& edges, int first,
                       Visit visit) {
  for (unsigned set = 0; set < 1u << edges.size(); ++set) {
    if (std::popcount(set) + 1 != n) continue;
    std::vector<std::vector<std::int64_t>> chosen;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if ((set >> i & 1) != 0) chosen.push_back(edges[i]);
    }
    std::set<std::int64_t> reached{first};
    for (int round = 0; round < n; ++round) {
      for (const auto& edge : chosen) {
        if (reached.contains(edge[0]) || reached.contains(edge[1])) {
          reached.insert({edge[0], edge[1]});
        }
      }
    }
    visit(chosen, reached.size() == static_cast<std::size_t>(n));
  }
}

// The ends of the edges, each edge turned round.
inline std::vector<std::int64_t> turned_ends(const std::vector<std::vector<std::int64_t>>& edges) {
  std::vector<std::int64_t> ends;
  for (const auto& edge : edges) ends.insert(ends.end(), {edge[1], edge[0]});
  return ends;
}

}  // namespace redqueen
