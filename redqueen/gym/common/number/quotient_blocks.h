// Sums over ⌊n/i⌋: runs of i with the same quotients are taken at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace redqueen {

// Splits 1 … last into the maximal runs on which both ⌊n/i⌋ and ⌊m/i⌋ are constant and visits them
// in order: visit(first, last of the run, ⌊n/first⌋, ⌊m/first⌋). O(√n + √m) runs. n, m, last ≥ 0.
template <typename Visit>
void for_each_quotient_block(std::int64_t n, std::int64_t m, std::int64_t last, Visit visit) {
  const auto run_end = [](std::int64_t number, std::int64_t quotient) {
    return quotient == 0 ? std::numeric_limits<std::int64_t>::max() : number / quotient;
  };
  for (std::int64_t first = 1; first <= last;) {
    const std::int64_t n_quotient = n / first;
    const std::int64_t m_quotient = m / first;
    const std::int64_t end = std::min({run_end(n, n_quotient), run_end(m, m_quotient), last});
    visit(first, end, n_quotient, m_quotient);
    first = end + 1;
  }
}

// Does the same for one number, over 1 … n: visit(first, last of the run, ⌊n/first⌋).
template <typename Visit>
void for_each_quotient_block(std::int64_t n, Visit visit) {
  for (std::int64_t first = 1; first <= n;) {
    const std::int64_t quotient = n / first;
    const std::int64_t end = n / quotient;
    visit(first, end, quotient);
    first = end + 1;
  }
}

// d(1) + … + d(n), the number of pairs (a, b) of positive integers with a·b ≤ n. O(√n). n ≥ 0.
inline std::int64_t divisor_count_sum(std::int64_t n) {
  std::int64_t sum = 0;
  for_each_quotient_block(n, [&](std::int64_t first, std::int64_t last, std::int64_t quotient) {
    sum += (last - first + 1) * quotient;
  });
  return sum;
}

}  // namespace redqueen
