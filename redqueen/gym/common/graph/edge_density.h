// The densities of the published ladders of graphs.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// ⌊density · n (n − 1)⌋, as the published ladders round it.
inline std::size_t edges_at_density(int n, double density) {
  return static_cast<std::size_t>(density * n * (n - 1));
}

// The densities among 0.05, 0.15, …, 0.95 that give n vertices at least n edges, ascending. n ≥ 3.
inline std::vector<double> hamiltonian_densities(int n) {
  std::vector<double> densities;
  for (int percent = 5; percent < 100; percent += 10) {
    const double density = percent / 100.0;
    if (edges_at_density(n, density) >= static_cast<std::size_t>(n)) densities.push_back(density);
  }
  return densities;
}

// The same of undirected graphs, where each pair of vertices counts once.
inline int undirected_edges_at(int n, double density) {
  return static_cast<int>(density * n * (n - 1) / 2);
}

// The densities of most published ladders of undirected graphs, ascending.
inline constexpr std::array kUndirectedDensities{0.02, 0.05, 0.15, 0.25, 0.35, 0.45,
                                                 0.55, 0.65, 0.75, 0.85, 0.95};

// A uniform one of the densities, ascending, that give n vertices `fewest` to `most` undirected
// edges. If none does, the first that gives more; the last if none gives more either.
inline double draw_density(std::span<const double> densities, int n, int fewest, int most,
                           Rng& rng) {
  std::size_t first = 0;
  while (first + 1 < densities.size() && undirected_edges_at(n, densities[first]) < fewest) ++first;
  std::size_t last = first;
  while (last + 1 < densities.size() && undirected_edges_at(n, densities[last + 1]) <= most) ++last;
  return densities[first + static_cast<std::size_t>(rng.below(last - first + 1))];
}

}  // namespace redqueen
