// The shape of a grid. A cell is known by its place, row · columns + column, both counted from 0.
#pragma once

#include <cstdint>
#include <string_view>

#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

struct GridShape {
  int rows = 0;
  int columns = 0;

  int cells() const { return rows * columns; }
  int place(int row, int column) const { return row * columns + column; }
  int row(int place) const { return place / columns; }
  int column(int place) const { return place % columns; }
  bool contains(std::int64_t row, std::int64_t column) const {
    return row >= 0 && row < rows && column >= 0 && column < columns;
  }

  // Calls visit(place) for the up to four cells that share a side with the given one: above, left,
  // right, below.
  template <typename Visit>
  void for_each_neighbour(int place, Visit visit) const {
    const int at = column(place);
    if (place >= columns) visit(place - columns);
    if (at > 0) visit(place - 1);
    if (at + 1 < columns) visit(place + 1);
    if (place + columns < cells()) visit(place + columns);
  }
};

// Both sides uniform in the upper half of 1 … most, but not below `least`.
inline GridShape draw_shape(int least, int most, Rng& rng) {
  GridShape shape;
  shape.rows = static_cast<int>(draw_upper_half(least, most, rng));
  shape.columns = static_cast<int>(draw_upper_half(least, most, rng));
  return shape;
}

// An error that names the key unless both sides are at least `least` and there are at most
// `most_cells`. least ≥ 1.
inline Status check_shape(std::string_view rows_key, std::int64_t rows,
                          std::string_view columns_key, std::int64_t columns, std::int64_t least,
                          std::int64_t most_cells) {
  RETURN_IF_ERROR(within(rows_key, rows, least, most_cells / least));
  return within(columns_key, columns, least, most_cells / rows);
}

}  // namespace redqueen
