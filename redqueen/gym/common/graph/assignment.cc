#include "redqueen/gym/common/graph/assignment.h"

#include <limits>

namespace redqueen {

// Rows are added one after another, each along a path of least reduced cost to a free column.
// Column 0 stands for the row that is added; rows and columns count from 1.
std::vector<int> cheapest_assignment(int n, std::span<const std::int64_t> costs) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  const auto size = static_cast<std::size_t>(n) + 1;
  std::vector<std::int64_t> of_row(size);     // potentials
  std::vector<std::int64_t> of_column(size);  // likewise
  std::vector<std::int64_t> distance(size);
  std::vector<int> row_of(size, 0);  // 0: free
  std::vector<int> before(size);
  std::vector<char> done(size);
  for (int row = 1; row <= n; ++row) {
    distance.assign(size, kFar);
    done.assign(size, 0);
    row_of[0] = row;
    int column = 0;
    while (row_of[column] != 0) {
      done[column] = 1;
      const int here = row_of[column];
      const std::int64_t* costs_here = costs.data() + static_cast<std::ptrdiff_t>(here - 1) * n;
      std::int64_t step = kFar;
      int next = 0;
      for (int other = 1; other <= n; ++other) {
        if (done[other]) continue;
        const std::int64_t reduced = costs_here[other - 1] - of_row[here] - of_column[other];
        if (reduced < distance[other]) {
          distance[other] = reduced;
          before[other] = column;
        }
        if (distance[other] < step) {
          step = distance[other];
          next = other;
        }
      }
      for (int other = 0; other <= n; ++other) {
        if (done[other]) {
          of_row[row_of[other]] += step;
          of_column[other] -= step;
        } else if (distance[other] != kFar) {
          distance[other] -= step;
        }
      }
      column = next;
    }
    while (column != 0) {
      row_of[column] = row_of[before[column]];
      column = before[column];
    }
  }
  std::vector<int> column_of(static_cast<std::size_t>(n));
  for (int column = 1; column <= n; ++column) column_of[row_of[column] - 1] = column - 1;
  return column_of;
}

}  // namespace redqueen
