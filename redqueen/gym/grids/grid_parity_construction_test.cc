#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<int>>;

Matrix parities(const Matrix& grid) {
  const int rows = static_cast<int>(grid.size());
  const int columns = static_cast<int>(grid[0].size());
  Matrix result(grid.size(), std::vector<int>(grid[0].size()));
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      if (grid[i][j] == 0) continue;
      for (const auto& [down, right] : {std::pair{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
        const int row = i + down;
        const int column = j + right;
        if (row >= 0 && row < rows && column >= 0 && column < columns) result[row][column] ^= 1;
      }
    }
  }
  return result;
}

Matrix grid_of_bits(unsigned bits, int rows, int columns) {
  Matrix grid(static_cast<std::size_t>(rows), std::vector<int>(static_cast<std::size_t>(columns)));
  for (int i = 0; i < rows * columns; ++i) {
    grid[i / columns][i % columns] = static_cast<int>(bits >> i & 1);
  }
  return grid;
}

TEST(GridParityConstruction, IsSolvableExactlyWhereSomeGridHasTheParities) {
  for (const auto& [rows, columns] : {std::pair{2, 3}, {3, 2}, {3, 3}, {1, 5}, {4, 2}}) {
    const unsigned all = 1u << (rows * columns);
    std::set<Matrix> possible;
    for (unsigned bits = 0; bits < all; ++bits) {
      possible.insert(parities(grid_of_bits(bits, rows, columns)));
    }
    for (unsigned bits = 0; bits < all; ++bits) {
      const Matrix parity = grid_of_bits(bits, rows, columns);
      const auto problem = Registry::native()
                               .find("GridParityConstruction")
                               ->restore(Json{{"N", rows}, {"M", columns}, {"parity", parity}});
      EXPECT_EQ(problem.has_value(), possible.contains(parity));
    }
  }
}

TEST(GridParityConstruction, SolvesWhatItDraws) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("GridParityConstruction", static_cast<int>(seed % 20), seed);
    const std::string reference = problem->reference();
    Matrix grid;
    for (const std::string_view line : split_lines(reference)) {
      auto& row = grid.emplace_back();
      for (const char c : line) row.push_back(c - '0');
    }
    EXPECT_EQ(parities(grid), problem->parameter()["parity"].get<Matrix>()) << problem->prompt();
  }
}

}  // namespace
}  // namespace redqueen
