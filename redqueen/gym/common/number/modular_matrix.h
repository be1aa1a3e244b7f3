// Powers of square matrices of residues modulo a small number.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/base/big_int.h"

namespace redqueen {

class ModularMatrix {
 public:
  // n × n zeros. 1 ≤ modulus ≤ 2^16.
  ModularMatrix(int n, std::uint32_t modulus);

  int size() const { return n_; }
  std::uint32_t modulus() const { return modulus_; }

  std::uint32_t operator()(int row, int column) const { return entries_[index(row, column)]; }
  void set(int row, int column, std::int64_t value);  // reduced, negative ones too

  ModularMatrix operator*(const ModularMatrix& other) const;  // of the same size and modulus

  // row · this^exponent, n entries. exponent ≥ 0; O(n³) for each of its bits.
  std::vector<std::uint32_t> apply_power(std::vector<std::uint32_t> row,
                                         const BigInt& exponent) const;

 private:
  std::size_t index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(n_) +
           static_cast<std::size_t>(column);
  }

  // row · this; `sums` is room for n numbers.
  void apply(std::uint32_t* row, std::vector<std::uint64_t>& sums) const;

  int n_;
  std::uint32_t modulus_;
  std::vector<std::uint32_t> entries_;  // n × n, row by row, each below the modulus
};

// matrix^exponent; matrix^0 is the identity. exponent ≥ 0.
ModularMatrix power(ModularMatrix matrix, std::int64_t exponent);

}  // namespace redqueen
