#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Cells = std::set<std::pair<int, int>>;

// Tries all rows, columns and lengths, and looks at all cells; counts different sets of cells.
std::size_t count_sets(int rows, int columns, const Cells& zeros) {
  std::set<Cells> crosses;
  for (int column = 0; column < columns; ++column) {
    for (int top = 0; top < rows; ++top) {
      for (int upper = top + 1; upper < rows; ++upper) {
        for (int lower = upper + 2; lower < rows; ++lower) {
          for (int bottom = lower + 1; bottom < rows; ++bottom) {
            for (int small = 1; small < columns; ++small) {
              for (int large = small + 1; column - large >= 0 && column + large < columns;
                   ++large) {
                Cells cross;
                for (int row = top; row <= bottom; ++row) cross.emplace(row, column);
                for (int k = -small; k <= small; ++k) cross.emplace(upper, column + k);
                for (int k = -large; k <= large; ++k) cross.emplace(lower, column + k);
                bool whole = true;
                for (const auto& cell : cross) whole &= !zeros.contains(cell);
                if (whole) crosses.insert(cross);
              }
            }
          }
        }
      }
    }
  }
  return crosses.size();
}

TEST(DoubleCrossCounting, AgreesWithAllCrosses) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("DoubleCrossCounting", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    Cells zeros;
    for (const auto& cell : parameter["zero_coordinates"]) {
      zeros.emplace(cell[0].get<int>(), cell[1].get<int>());
    }
    EXPECT_EQ(problem->reference(), std::to_string(count_sets(parameter["N"].get<int>(),
                                                              parameter["M"].get<int>(), zeros)))
        << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
