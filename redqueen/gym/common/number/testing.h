// Systems of linear equations modulo a prime: the oracle of expectations in Markov chains.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "redqueen/gym/common/number/prime_field.h"

namespace redqueen {

// Each of the n rows holds n coefficients and the right side. nullopt: no single solution.
inline std::optional<std::vector<std::int64_t>> solve_linear_system(
    const PrimeField& field, std::vector<std::vector<std::int64_t>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    while (pivot < n && rows[pivot][column] == 0) ++pivot;
    if (pivot == n) return std::nullopt;
    std::swap(rows[pivot], rows[column]);
    const std::int64_t scale = field.inverse(rows[column][column]);
    for (auto& entry : rows[column]) entry = field.multiply(entry, scale);
    for (std::size_t row = 0; row < n; ++row) {
      const std::int64_t factor = rows[row][column];
      if (row == column || factor == 0) continue;
      for (std::size_t k = column; k <= n; ++k) {
        rows[row][k] = field.subtract(rows[row][k], field.multiply(factor, rows[column][k]));
      }
    }
  }
  std::vector<std::int64_t> solution;
  for (const auto& row : rows) solution.push_back(row[n]);
  return solution;
}

}  // namespace redqueen
