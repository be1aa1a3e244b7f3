// Cheapest one-to-one assignments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redqueen {

// The column of each row in a cheapest assignment of n rows to n columns, one each. `costs` is n ×
// n, row by row; n ≥ 1; n · |cost| stays below 2^61. O(n³): H. Kuhn, "The Hungarian method for the
// assignment problem", 1955, with shortest augmenting paths.
std::vector<int> cheapest_assignment(int n, std::span<const std::int64_t> costs);

}  // namespace redqueen
