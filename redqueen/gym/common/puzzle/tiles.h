// Puzzles that move the numbers of a grid: a start, a destination, and moves that lead from one to
// the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/grid/rows.h"
#include "redqueen/gym/common/grid/shape.h"

namespace redqueen {

// Rows of numbers; each of 0 … cells − 1 is there once.
using Tiles = std::vector<std::vector<std::int64_t>>;

struct TileConfig {
  int MAX_N_M = 0;
  int steps = 0;
  REDQUEEN_FIELDS(MAX_N_M, steps)
};

// Both sides in the upper half of what the bound allows, none below 2.
inline GridShape draw_tile_shape(const TileConfig& config, Rng& rng) {
  GridShape shape;
  shape.rows = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
  shape.columns = static_cast<int>(draw_upper_half(2, config.MAX_N_M, rng));
  return shape;
}

// A random order of the numbers, row by row.
inline Tiles random_tiles(const GridShape& shape, Rng& rng) {
  const std::vector<int> order = rng.permutation(shape.cells());
  Tiles tiles;
  for (int row = 0; row < shape.rows; ++row) {
    const auto first = order.begin() + shape.place(row, 0);
    tiles.emplace_back(first, first + shape.columns);
  }
  return tiles;
}

// An error that names the key unless the grid has the shape and holds each number once.
inline Status check_tiles(std::string_view key, const Tiles& tiles, const GridShape& shape) {
  RETURN_IF_ERROR(check_matrix(key, tiles, shape, 0, shape.cells() - 1));
  std::vector<char> seen(static_cast<std::size_t>(shape.cells()));
  for (const auto& row : tiles) {
    for (const std::int64_t number : row) {
      if (seen[number]) return failure("\"{}\": {} comes twice", key, number);
      seen[number] = 1;
    }
  }
  return {};
}

// The number of cells that hold the same number in both. Both have the same shape.
inline std::int64_t matching_tiles(const Tiles& tiles, const Tiles& others) {
  std::int64_t matches = 0;
  for (std::size_t row = 0; row < tiles.size(); ++row) {
    for (std::size_t column = 0; column < tiles[row].size(); ++column) {
      matches += tiles[row][column] == others[row][column];
    }
  }
  return matches;
}

// A simple rule: up to `most` times the move after which most cells are right, until all are.
// choices(tiles, moves so far) gives the moves to choose from; gain(tiles, move) tells how many
// more cells are right after a move; make(tiles, move) makes it.
template <typename Move, typename Choices, typename Gain, typename Make>
std::vector<Move> climb_tiles(Tiles tiles, const Tiles& destination, std::size_t most,
                              Choices choices, Gain gain, Make make) {
  std::vector<Move> moves;
  while (moves.size() < most && tiles != destination) {
    const std::vector<Move> open = choices(tiles, moves);
    if (open.empty()) break;
    std::size_t best = 0;
    std::int64_t most_gained = gain(tiles, open[0]);
    for (std::size_t i = 1; i < open.size(); ++i) {
      const std::int64_t gained = gain(tiles, open[i]);
      if (gained <= most_gained) continue;
      most_gained = gained;
      best = i;
    }
    make(tiles, open[best]);
    moves.push_back(open[best]);
  }
  return moves;
}

}  // namespace redqueen
