// Grids as rows of characters or of numbers: the forms in which parameters hold them, and in which
// prompts and answers write them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/gym/common/grid/shape.h"

namespace redqueen {

// A row is a string, a cell a character.
using TextGrid = std::vector<std::string>;

// A cell is a string of one character: the form of some published parameters.
using CellGrid = std::vector<std::vector<std::string>>;

inline TextGrid to_text_grid(const CellGrid& grid) {
  TextGrid rows;
  rows.reserve(grid.size());
  for (const auto& cells : grid) {
    std::string& row = rows.emplace_back();
    for (const std::string& cell : cells) row += cell;
  }
  return rows;
}

inline CellGrid to_cell_grid(const TextGrid& grid) {
  CellGrid rows;
  rows.reserve(grid.size());
  for (const std::string& cells : grid) {
    auto& row = rows.emplace_back();
    row.reserve(cells.size());
    for (const char cell : cells) row.emplace_back(1, cell);
  }
  return rows;
}

// True if there are that many rows, and each is that long. Row: a string or a vector.
template <typename Row>
bool has_shape(const std::vector<Row>& grid, const GridShape& shape) {
  return std::ssize(grid) == shape.rows && std::ranges::all_of(grid, [&](const Row& row) {
           return std::ssize(row) == shape.columns;
         });
}

// True if every character is one of the alphabet.
inline bool is_written_in(const TextGrid& grid, std::string_view alphabet) {
  return std::ranges::all_of(grid, [&](const std::string& row) {
    return row.find_first_not_of(alphabet) == std::string::npos;
  });
}

// An error that names the key unless the grid has the shape and each cell is a character of the
// alphabet.
inline Status check_text_grid(std::string_view key, const TextGrid& grid, const GridShape& shape,
                              std::string_view alphabet) {
  if (!has_shape(grid, shape)) {
    return failure("\"{}\": expected {} rows of {} cells", key, shape.rows, shape.columns);
  }
  if (!is_written_in(grid, alphabet)) {
    return failure("\"{}\": expected cells that are one of {}", key, alphabet);
  }
  return {};
}

inline Status check_cell_grid(std::string_view key, const CellGrid& grid, const GridShape& shape,
                              std::string_view alphabet) {
  for (const auto& row : grid) {
    for (const std::string& cell : row) {
      if (cell.size() != 1) return failure("\"{}\": expected cells of one character", key);
    }
  }
  return check_text_grid(key, to_text_grid(grid), shape, alphabet);
}

// An error that names the key unless the matrix has the shape and its numbers are in low … high.
template <typename Number>
Status check_matrix(std::string_view key, const std::vector<std::vector<Number>>& matrix,
                    const GridShape& shape, std::int64_t low, std::int64_t high) {
  if (!has_shape(matrix, shape)) {
    return failure("\"{}\": expected {} rows of {} numbers", key, shape.rows, shape.columns);
  }
  for (const auto& row : matrix) {
    for (const Number number : row) RETURN_IF_ERROR(within(key, number, low, high));
  }
  return {};
}

// Numbers uniform in low … high.
inline std::vector<std::vector<std::int64_t>> draw_matrix(const GridShape& shape, std::int64_t low,
                                                          std::int64_t high, Rng& rng) {
  std::vector<std::vector<std::int64_t>> matrix(
      static_cast<std::size_t>(shape.rows),
      std::vector<std::int64_t>(static_cast<std::size_t>(shape.columns)));
  for (auto& row : matrix) {
    for (std::int64_t& number : row) number = rng.integer(low, high);
  }
  return matrix;
}

// Characters uniform in the alphabet.
inline TextGrid draw_text_grid(const GridShape& shape, std::string_view alphabet, Rng& rng) {
  TextGrid grid(static_cast<std::size_t>(shape.rows),
                std::string(static_cast<std::size_t>(shape.columns), ' '));
  for (std::string& row : grid) {
    for (char& cell : row) cell = alphabet[rng.below(alphabet.size())];
  }
  return grid;
}

// The lines of an answer that are not blank, trimmed: any text is a grid, of whatever shape.
inline TextGrid parse_text_grid(std::string_view text) {
  TextGrid grid;
  for (const std::string_view line : split_lines(text)) grid.emplace_back(line);
  return grid;
}

// Digits without separators, a row a line, no line end after the last. Every number is in 0 … 9.
template <typename Number>
std::string format_digits(const std::vector<std::vector<Number>>& matrix) {
  std::string text;
  for (const auto& row : matrix) {
    if (!text.empty()) text += '\n';
    for (const Number digit : row) text += static_cast<char>('0' + digit);
  }
  return text;
}

}  // namespace redqueen
