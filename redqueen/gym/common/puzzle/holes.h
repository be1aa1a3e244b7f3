// Grids with empty cells, which are to be filled: TextGrid, or a matrix of numbers. One value, the
// hole, marks an empty cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/grid/shape.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {

// Both sides in the upper third of 1 … limit, none below `least`: problems of a level then have its
// size. least ≤ limit.
inline GridShape draw_large_shape(int least, int limit, Rng& rng) {
  const int low = std::max(least, (2 * limit + 2) / 3);
  GridShape shape;
  shape.rows = static_cast<int>(rng.integer(low, limit));
  shape.columns = static_cast<int>(rng.integer(low, limit));
  return shape;
}

// A number of tenths up to nine, all equally likely: the share of empty cells on the ladders.
inline double draw_sparsity(Rng& rng, int least_tenths = 1) {
  return static_cast<double>(rng.integer(least_tenths, 9)) / 10.0;
}

// A share of so many cells, rounded down, but at least one.
inline std::size_t share_of(std::int64_t cells, double share) {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(cells) * share)));
}

// Empties a share of the cells, drawn at random. share in [0, 1]; the grid is not empty.
template <typename Grid, typename Cell>
void empty_cells(Grid& grid, Cell hole, double share, Rng& rng) {
  const std::int64_t columns = std::ssize(grid[0]);
  const std::int64_t cells = std::ssize(grid) * columns;
  for (const std::int64_t place : rng.sample(0, cells - 1, share_of(cells, share))) {
    grid[place / columns][place % columns] = hole;
  }
}

template <typename Grid, typename Cell>
std::int64_t count_holes(const Grid& grid, Cell hole) {
  std::int64_t count = 0;
  for (const auto& row : grid) count += std::ranges::count(row, hole);
  return count;
}

// True if every cell that is not empty in `given` is the same in `filled`, a grid of that shape.
template <typename Grid, typename Cell>
bool keeps_given(const Grid& given, Cell hole, const Grid& filled) {
  for (std::size_t row = 0; row < given.size(); ++row) {
    for (std::size_t column = 0; column < given[row].size(); ++column) {
      const auto cell = given[row][column];
      if (cell != hole && cell != filled[row][column]) return false;
    }
  }
  return true;
}

// The grid with value(row, column) in every empty cell, row by row. value() is called in that order
// and may look at `grid`, which holds the values of the cells before.
template <typename Grid, typename Cell, typename Value>
void fill_holes(Grid& grid, Cell hole, Value value) {
  for (std::size_t row = 0; row < grid.size(); ++row) {
    for (std::size_t column = 0; column < grid[row].size(); ++column) {
      if (grid[row][column] == hole) grid[row][column] = value(row, column);
    }
  }
}

// Grids that hold each number of first … first + cells − 1 once.
template <typename Grid>
bool holds_each_once(const Grid& grid, std::int64_t first) {
  const std::int64_t cells = std::ssize(grid) * std::ssize(grid[0]);
  std::vector<char> seen(static_cast<std::size_t>(cells), 0);
  for (const auto& row : grid) {
    for (const std::int64_t number : row) {
      if (number < first || number - first >= cells) return false;
      if (std::exchange(seen[number - first], 1) != 0) return false;
    }
  }
  return true;
}

// The numbers of first … first + cells − 1 that such a grid with empty cells lacks, ascending.
// Numbers out of that range are ignored.
template <typename Grid>
std::vector<std::int64_t> missing_numbers(const Grid& grid, std::int64_t first) {
  const std::int64_t cells = std::ssize(grid) * std::ssize(grid[0]);
  std::vector<char> seen(static_cast<std::size_t>(cells), 0);
  for (const auto& row : grid) {
    for (const std::int64_t number : row) {
      if (number >= first && number - first < cells) seen[number - first] = 1;
    }
  }
  std::vector<std::int64_t> missing;
  for (std::int64_t i = 0; i < cells; ++i) {
    if (seen[i] == 0) missing.push_back(first + i);
  }
  return missing;
}

// The grid with these numbers in its empty cells, row by row. There are as many as empty cells.
template <typename Grid, typename Cell>
Grid filled_in_order(Grid grid, Cell hole, const std::vector<std::int64_t>& numbers) {
  std::size_t next = 0;
  fill_holes(grid, hole, [&](std::size_t, std::size_t) { return numbers[next++]; });
  return grid;
}

// The grid with the numbers that it lacks in its empty cells, in random order.
template <typename Grid, typename Cell>
Grid filled_at_random(const Grid& grid, Cell hole, std::int64_t first, Rng& rng) {
  std::vector<std::int64_t> missing = missing_numbers(grid, first);
  rng.shuffle(missing);
  return filled_in_order(grid, hole, missing);
}

// In ascending and in descending order: answers that take no thought.
template <typename Grid, typename Cell>
std::vector<SimpleRule<Grid>> missing_number_rules(const Grid& grid, Cell hole,
                                                   std::int64_t first) {
  std::vector<std::int64_t> missing = missing_numbers(grid, first);
  Grid ascending = filled_in_order(grid, hole, missing);
  std::ranges::reverse(missing);
  return {{"the missing numbers in ascending order", std::move(ascending)},
          {"the missing numbers in descending order", filled_in_order(grid, hole, missing)}};
}

}  // namespace redqueen
