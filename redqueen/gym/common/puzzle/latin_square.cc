#include "redqueen/gym/common/puzzle/latin_square.h"

#include <array>

namespace redqueen {
namespace {

// Whether a number stands in a cell, for all rows, columns and numbers. A move may leave one entry
// that is −1; the square is then improper until a later move mends it.
class Cube {
 public:
  explicit Cube(const NumberGrid& grid)
      : n_(static_cast<int>(grid.size())),
        entries_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_ * n_)) {
    for (int row = 0; row < n_; ++row) {
      for (int column = 0; column < n_; ++column) {
        at({row, column, static_cast<int>(grid[row][column])}) = 1;
      }
    }
  }

  void move(Rng& rng) {
    const Place from = is_proper() ? random_zero(rng) : improper_;
    const Place to{other(from, 0, rng), other(from, 1, rng), other(from, 2, rng)};
    for (int corner = 0; corner < 8; ++corner) {
      Place place = from;
      int changed = 0;
      for (int axis = 0; axis < 3; ++axis) {
        if ((corner >> axis & 1) == 0) continue;
        place[axis] = to[axis];
        ++changed;
      }
      at(place) = static_cast<signed char>(at(place) + (changed % 2 == 0 ? 1 : -1));
    }
    improper_ = at(to) < 0 ? to : kNowhere;
  }

  bool is_proper() const { return improper_ == kNowhere; }

  void write(NumberGrid& grid) {
    for (int row = 0; row < n_; ++row) {
      for (int column = 0; column < n_; ++column) {
        int number = 0;
        while (at({row, column, number}) == 0) ++number;
        grid[row][column] = number;
      }
    }
  }

 private:
  using Place = std::array<int, 3>;  // row, column, number
  static constexpr Place kNowhere{-1, -1, -1};

  signed char& at(const Place& place) {
    return entries_[static_cast<std::size_t>((place[0] * n_ + place[1]) * n_ + place[2])];
  }

  Place random_zero(Rng& rng) {
    while (true) {
      const auto drawn = static_cast<int>(rng.below(entries_.size()));
      if (entries_[drawn] == 0) return {drawn / (n_ * n_), drawn / n_ % n_, drawn % n_};
    }
  }

  // A place with an entry of 1 on the line through `from` along an axis; there are two of them if
  // `from` is improper, else one.
  int other(const Place& from, int axis, Rng& rng) {
    Place place = from;
    const bool backwards = !is_proper() && (rng.bits() & 1) != 0;
    place[axis] = backwards ? n_ - 1 : 0;
    while (at(place) != 1) place[axis] += backwards ? -1 : 1;
    return place[axis];
  }

  int n_;
  std::vector<signed char> entries_;
  Place improper_ = kNowhere;
};

}  // namespace

NumberGrid random_cyclic_square(int n, Rng& rng) {
  const std::vector<int> of_row = rng.permutation(n);
  const std::vector<int> of_column = rng.permutation(n);
  NumberGrid grid(static_cast<std::size_t>(n),
                  std::vector<std::int64_t>(static_cast<std::size_t>(n)));
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      grid[row][column] = (of_row[row] + of_column[column]) % n;
    }
  }
  return grid;
}

NumberGrid random_latin_square(int n, Rng& rng) {
  NumberGrid grid = random_cyclic_square(n, rng);
  if (n < 4) return grid;  // there are no others
  Cube cube(grid);
  // Moves count by the proper squares they lead to. The first proper one after so many moves would
  // more often be one that improper ones lead to.
  for (int visits = 0; visits < n * n; visits += cube.is_proper()) cube.move(rng);
  cube.write(grid);
  return grid;
}

bool is_latin_square(const NumberGrid& grid) {
  const auto n = std::ssize(grid);
  std::vector<char> seen(static_cast<std::size_t>(2 * n * n), 0);  // by row, by column
  for (std::ptrdiff_t row = 0; row < n; ++row) {
    if (std::ssize(grid[row]) != n) return false;
    for (std::ptrdiff_t column = 0; column < n; ++column) {
      const std::int64_t number = grid[row][column];
      if (number < 0 || number >= n) return false;
      char& in_row = seen[row * n + number];
      char& in_column = seen[(n + column) * n + number];
      if (in_row != 0 || in_column != 0) return false;
      in_row = in_column = 1;
    }
  }
  return true;
}

}  // namespace redqueen
