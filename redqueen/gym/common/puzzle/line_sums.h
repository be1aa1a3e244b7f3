// Sums the rows and columns of a grid of zeros and ones.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/gym/common/grid/rows.h"

namespace redqueen {

struct LineSums {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  bool operator==(const LineSums&) const = default;

  std::int64_t lines() const { return std::ssize(rows) + std::ssize(columns); }

  // The number of lines with the same sum in both. Both have as many rows and columns.
  std::int64_t matches(const LineSums& other) const {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) count += rows[i] == other.rows[i];
    for (std::size_t j = 0; j < columns.size(); ++j) count += columns[j] == other.columns[j];
    return count;
  }
};

// A '1' adds weight(column) to its row and weight(row) to its column; places count from 0. The grid
// has at least one row.
template <typename Weight>
LineSums line_sums(const TextGrid& grid, Weight weight) {
  LineSums sums{.rows = std::vector<std::int64_t>(grid.size()),
                .columns = std::vector<std::int64_t>(grid[0].size())};
  for (std::size_t row = 0; row < grid.size(); ++row) {
    for (std::size_t column = 0; column < grid[row].size(); ++column) {
      if (grid[row][column] != '1') continue;
      sums.rows[row] += weight(column);
      sums.columns[column] += weight(row);
    }
  }
  return sums;
}

// The numbers of ones.
inline LineSums line_counts(const TextGrid& grid) {
  return line_sums(grid, [](std::size_t) { return 1; });
}

}  // namespace redqueen
