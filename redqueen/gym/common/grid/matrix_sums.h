// Sums of rectangles of a matrix, each in constant time.
#pragma once

#include <cstdint>
#include <vector>

namespace redqueen {

class MatrixSums {
 public:
  // All rows have the same length. The sum of the matrix fits into 64 bits.
  template <typename Number>
  explicit MatrixSums(const std::vector<std::vector<Number>>& matrix)
      : stride_(matrix.empty() ? 1 : matrix[0].size() + 1), sums_((matrix.size() + 1) * stride_) {
    for (std::size_t row = 0; row < matrix.size(); ++row) {
      std::int64_t along = 0;
      for (std::size_t column = 0; column + 1 < stride_; ++column) {
        along += matrix[row][column];
        sums_[(row + 1) * stride_ + column + 1] = sums_[row * stride_ + column + 1] + along;
      }
    }
  }

  // The sum of the first `rows` rows and `columns` columns.
  std::int64_t corner(std::size_t rows, std::size_t columns) const {
    return sums_[rows * stride_ + columns];
  }

  // The sum of rows top … bottom − 1 and columns left … right − 1.
  std::int64_t sum(std::size_t top, std::size_t left, std::size_t bottom, std::size_t right) const {
    return corner(bottom, right) - corner(top, right) - corner(bottom, left) + corner(top, left);
  }

 private:
  std::size_t stride_;
  std::vector<std::int64_t> sums_;
};

}  // namespace redqueen
