// Counts the spanning trees of a graph, modulo any number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

// The count is in 0 … modulus − 1; parallel edges count as different ones, loops do not count. A
// determinant (G. Kirchhoff, 1847), by Euclid's algorithm on rows, so that the modulus need not be
// prime. O(n³ + n² log modulus) time. n ≥ 1, ends in 0 … n − 1, 1 ≤ modulus ≤ 2^62.
std::int64_t count_spanning_trees(int n, std::span<const Edge> edges, std::int64_t modulus);

}  // namespace redqueen
