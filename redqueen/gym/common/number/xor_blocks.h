// Sums over i XOR j for all i and j below two bounds, without visiting the pairs.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redqueen {

// Visits the values i XOR j XOR x over 0 ≤ i < n, 0 ≤ j < m as ranges:
// visit(first, last, times) stands for every value of first … last, `times`
// times each. A value may lie in several ranges. O(log n · log m) of them.
//
// [0, n) is one aligned block of 2^a numbers for every set bit a of n, and so
// is [0, m). Of two blocks, the XORs fill an aligned block of the larger size,
// evenly. n, m, x in 0 … 2^62.
template <typename Visit>
void for_each_xor_block(std::int64_t n, std::int64_t m, std::int64_t x, Visit visit) {
  for (std::int64_t i = n; i > 0; i &= i - 1) {
    const std::int64_t i_size = i & -i;
    for (std::int64_t j = m; j > 0; j &= j - 1) {
      const std::int64_t j_size = j & -j;
      const std::int64_t size = std::max(i_size, j_size);
      const std::int64_t first = ((i - i_size) ^ (j - j_size) ^ x) & ~(size - 1);
      visit(first, first + size - 1, std::min(i_size, j_size));
    }
  }
}

}  // namespace redqueen
