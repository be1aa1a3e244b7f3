#include "redqueen/gym/common/graph/spanning_tree_count.h"

#include "redqueen/gym/common/number/modular.h"

namespace redqueen {

std::int64_t count_spanning_trees(int n, std::span<const Edge> edges, std::int64_t modulus) {
  // The Laplace matrix without the row and the column of the last vertex.
  const int size = n - 1;
  std::vector<std::int64_t> entries(static_cast<std::size_t>(size) *
                                    static_cast<std::size_t>(size));
  const auto at = [&](int row, int column) -> std::int64_t& {
    return entries[static_cast<std::size_t>(row) * static_cast<std::size_t>(size) + column];
  };
  for (const auto& [a, b] : edges) {
    if (a == b) continue;
    if (a < size) ++at(a, a);
    if (b < size) ++at(b, b);
    if (a < size && b < size) {
      --at(a, b);
      --at(b, a);
    }
  }
  for (std::int64_t& entry : entries) entry = residue(entry, modulus);
  // a − b·c, of residues
  const bool is_small = modulus <= std::int64_t{1} << 31;
  const auto less = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
    return is_small ? (a + (modulus - b) * c) % modulus
                    : residue(a - mul_mod(b, c, modulus), modulus);
  };
  std::int64_t determinant = 1 % modulus;
  for (int k = 0; k < size && determinant != 0; ++k) {
    for (int row = k + 1; row < size; ++row) {
      while (at(row, k) != 0) {
        const std::int64_t quotient = at(k, k) / at(row, k);
        for (int column = k; column < size; ++column) {
          const std::int64_t rest = less(at(k, column), quotient, at(row, column));
          at(k, column) = at(row, column);
          at(row, column) = rest;
        }
        determinant = residue(-determinant, modulus);  // for the rows have changed places
      }
    }
    determinant = mul_mod(determinant, at(k, k), modulus);
  }
  return determinant;
}

}  // namespace redqueen
