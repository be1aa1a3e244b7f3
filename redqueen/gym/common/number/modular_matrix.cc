#include "redqueen/gym/common/number/modular_matrix.h"

#include <algorithm>
#include <cassert>

namespace redqueen {

ModularMatrix::ModularMatrix(int n, std::uint32_t modulus)
    : n_(n),
      modulus_(modulus),
      entries_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {
  assert(modulus >= 1 && modulus <= std::uint32_t{1} << 16);
}

void ModularMatrix::set(int row, int column, std::int64_t value) {
  const std::int64_t rest = value % modulus_;
  entries_[index(row, column)] = static_cast<std::uint32_t>(rest < 0 ? rest + modulus_ : rest);
}

void ModularMatrix::apply(std::uint32_t* row, std::vector<std::uint64_t>& sums) const {
  std::ranges::fill(sums, 0);
  for (int k = 0; k < n_; ++k) {
    const std::uint64_t factor = row[k];
    if (factor == 0) continue;
    const std::uint32_t* const other = &entries_[index(k, 0)];
    for (int j = 0; j < n_; ++j) sums[j] += factor * other[j];  // below n · 2^32
  }
  for (int j = 0; j < n_; ++j) row[j] = static_cast<std::uint32_t>(sums[j] % modulus_);
}

ModularMatrix ModularMatrix::operator*(const ModularMatrix& other) const {
  assert(n_ == other.n_ && modulus_ == other.modulus_);
  ModularMatrix product = *this;
  std::vector<std::uint64_t> sums(n_);
  for (int row = 0; row < n_; ++row) other.apply(&product.entries_[index(row, 0)], sums);
  return product;
}

std::vector<std::uint32_t> ModularMatrix::apply_power(std::vector<std::uint32_t> row,
                                                      const BigInt& exponent) const {
  ModularMatrix power = *this;
  std::vector<std::uint64_t> sums(n_);
  for (BigInt rest = exponent; rest > 0;) {
    if (bit_test(rest, 0)) power.apply(row.data(), sums);
    rest >>= 1;
    if (rest > 0) power = power * power;
  }
  return row;
}

ModularMatrix power(ModularMatrix matrix, std::int64_t exponent) {
  ModularMatrix result(matrix.size(), matrix.modulus());
  for (int i = 0; i < matrix.size(); ++i) result.set(i, i, 1);
  for (;;) {
    if (exponent % 2 == 1) result = result * matrix;
    exponent /= 2;
    if (exponent == 0) return result;
    matrix = matrix * matrix;
  }
}

}  // namespace redqueen
