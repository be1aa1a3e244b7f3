// Binomial coefficients: exact, and modulo numbers that need not be prime.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "redqueen/base/big_int.h"

namespace redqueen {

// C(n, k); 0 unless 0 ≤ k ≤ n. n ≥ 0. O(min(k, n − k)) multiplications.
inline BigInt binomial(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return 0;
  BigInt result = 1;
  for (std::int64_t i = 1; i <= std::min(k, n - k); ++i) result = result * (n - i + 1) / i;
  return result;
}

// C(n, k) modulo any number, for all 0 ≤ k ≤ n ≤ largest. O(largest²) time and memory.
class PascalTriangle {
 public:
  // largest ≥ 0, 1 ≤ modulus ≤ 2^62.
  PascalTriangle(int largest, std::int64_t modulus)
      : entries_(static_cast<std::size_t>(largest + 1) * static_cast<std::size_t>(largest + 2) /
                 2) {
    for (int n = 0; n <= largest; ++n) {
      std::int64_t* row = &entries_[start(n)];
      row[0] = row[n] = 1 % modulus;
      const std::int64_t* above = row - n;
      for (int k = 1; k < n; ++k) {
        const std::int64_t sum = above[k - 1] + above[k];
        row[k] = sum >= modulus ? sum - modulus : sum;
      }
    }
  }

  // 0 ≤ k ≤ n ≤ largest.
  std::int64_t operator()(int n, int k) const {
    return entries_[start(n) + static_cast<std::size_t>(k)];
  }

 private:
  static std::size_t start(int n) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2;
  }

  std::vector<std::int64_t> entries_;  // row by row, n + 1 in row n
};

}  // namespace redqueen
