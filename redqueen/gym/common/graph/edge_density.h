// The densities of directed graphs in the published ladders of Hamiltonian paths.
#pragma once

#include <vector>

namespace redqueen {

// ⌊density · n (n − 1)⌋, as the published ladders round it.
inline std::size_t edges_at_density(int n, double density) {
  return static_cast<std::size_t>(density * n * (n - 1));
}

// Those of 0.05, 0.15, …, 0.95 that give n vertices at least n edges, ascending. n ≥ 3.
inline std::vector<double> hamiltonian_densities(int n) {
  std::vector<double> densities;
  for (int percent = 5; percent < 100; percent += 10) {
    const double density = percent / 100.0;
    if (edges_at_density(n, density) >= static_cast<std::size_t>(n)) densities.push_back(density);
  }
  return densities;
}

}  // namespace redqueen
