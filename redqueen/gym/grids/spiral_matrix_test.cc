#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

// A walker that turns right in front of a wall or a cell where it has been.
std::vector<std::int64_t> walked(const Matrix& matrix) {
  const int rows = static_cast<int>(matrix.size());
  const int columns = static_cast<int>(matrix[0].size());
  std::vector<std::vector<bool>> seen(matrix.size(), std::vector<bool>(matrix[0].size()));
  const auto free = [&](int row, int column) {
    return row >= 0 && row < rows && column >= 0 && column < columns && !seen[row][column];
  };
  std::vector<std::int64_t> path;
  int row = 0;
  int column = 0;
  int down = 0;
  int right = 1;
  while (true) {
    path.push_back(matrix[row][column]);
    seen[row][column] = true;
    if (!free(row + down, column + right)) {
      std::swap(down, right);
      right = -right;
    }
    if (!free(row + down, column + right)) return path;
    row += down;
    column += right;
  }
}

TEST(SpiralMatrix, AgreesWithAWalk) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("SpiralMatrix", static_cast<int>(seed % 9), seed);
    EXPECT_EQ(problem->reference(),
              format_answer(walked(problem->parameter()["matrix"].get<Matrix>())));
  }
}

TEST(SpiralMatrix, ReadsSingleRowsAndColumnsOnce) {
  EXPECT_EQ(
      restore_problem("SpiralMatrix", R"({"MAX_M_N": 3, "M": 1, "N": 3, "matrix": [[4, 5, 6]]})")
          ->reference(),
      "4 5 6");
  EXPECT_EQ(restore_problem("SpiralMatrix",
                            R"({"MAX_M_N": 3, "M": 3, "N": 1, "matrix": [[4], [5], [6]]})")
                ->reference(),
            "4 5 6");
  EXPECT_EQ(
      restore_problem("SpiralMatrix",
                      R"({"MAX_M_N": 3, "M": 3, "N": 3, "matrix": [[1,2,3],[4,5,6],[7,8,9]]})")
          ->reference(),
      "1 2 3 6 9 8 7 4 5");
}

}  // namespace
}  // namespace redqueen
