// Inversions: pairs of places whose values stand in descending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// Pairs i < j with values[i] > values[j]. O(n log n).
std::int64_t count_inversions(std::span<const std::int64_t> values);

// A random order of 0 … n − 1 with exactly so many inversions; every such order can come, not all
// as often. 0 ≤ inversions ≤ n (n − 1) / 2. O(n²) moves of memory.
std::vector<int> order_with_inversions(int n, std::int64_t inversions, Rng& rng);

}  // namespace redqueen
