// All ways to fill the empty cells of a grid, for tests that try every one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen {

// Calls visit(filled) with every grid that has a character of the alphabet in place of each hole.
// There may be 2^20 of them, not many more.
inline void for_each_filling(const std::vector<std::string>& grid, char hole,
                             std::string_view alphabet,
                             const std::function<void(const std::vector<std::string>&)>& visit) {
  std::vector<std::string> filled = grid;
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t row,
                                                                 std::size_t column) {
    if (row == grid.size()) return visit(filled);
    if (column == grid[row].size()) return fill(row + 1, 0);
    if (grid[row][column] != hole) return fill(row, column + 1);
    for (const char c : alphabet) {
      filled[row][column] = c;
      fill(row, column + 1);
    }
  };
  fill(0, 0);
}

// The same of a matrix of numbers, with the numbers low … high.
inline void for_each_filling(
    const std::vector<std::vector<std::int64_t>>& grid, std::int64_t hole, std::int64_t low,
    std::int64_t high,
    const std::function<void(const std::vector<std::vector<std::int64_t>>&)>& visit) {
  auto filled = grid;
  const std::function<void(std::size_t, std::size_t)> fill = [&](std::size_t row,
                                                                 std::size_t column) {
    if (row == grid.size()) return visit(filled);
    if (column == grid[row].size()) return fill(row + 1, 0);
    if (grid[row][column] != hole) return fill(row, column + 1);
    for (std::int64_t number = low; number <= high; ++number) {
      filled[row][column] = number;
      fill(row, column + 1);
    }
  };
  fill(0, 0);
}

}  // namespace redqueen
