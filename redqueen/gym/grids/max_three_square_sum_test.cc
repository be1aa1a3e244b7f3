#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<std::int64_t>>;

std::int64_t by_all_triples(const Matrix& matrix, int k) {
  struct Square {
    int row;
    int column;
    std::int64_t sum;
  };
  std::vector<Square> squares;
  for (int row = 0; row + k <= static_cast<int>(matrix.size()); ++row) {
    for (int column = 0; column + k <= static_cast<int>(matrix[0].size()); ++column) {
      std::int64_t sum = 0;
      for (int cell = 0; cell < k * k; ++cell) sum += matrix[row + cell / k][column + cell % k];
      squares.push_back({row, column, sum});
    }
  }
  const auto apart = [k](const Square& a, const Square& b) {
    return a.row + k <= b.row || b.row + k <= a.row || a.column + k <= b.column ||
           b.column + k <= a.column;
  };
  std::int64_t best = 0;
  for (const Square& a : squares) {
    for (const Square& b : squares) {
      if (!apart(a, b)) continue;
      for (const Square& c : squares) {
        if (apart(a, c) && apart(b, c)) best = std::max(best, a.sum + b.sum + c.sum);
      }
    }
  }
  return best;
}

TEST(MaxThreeSquareSum, AgreesWithAllTriples) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("MaxThreeSquareSum", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(), std::to_string(by_all_triples(parameter["A"].get<Matrix>(),
                                                                  parameter["K"].get<int>())))
        << problem->prompt();
  }
}

// Two squares that leave no room for a third cover more than any three.
TEST(MaxThreeSquareSum, PlacesAllThree) {
  const auto problem = restore_problem("MaxThreeSquareSum",
                                       R"({"N": 4, "M": 4, "K": 2, "A": [[0, 9, 9, 0],
      [0, 9, 9, 0], [0, 9, 9, 0], [0, 9, 9, 0]], "reference_answer": 72})");
  EXPECT_TRUE(problem->score("72").solved);
}

}  // namespace
}  // namespace redqueen
