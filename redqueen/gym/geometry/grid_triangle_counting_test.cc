#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

TEST(GridTriangleCounting, AgreesWithACountOfAllTriples) {
  for (std::int64_t n = 1; n <= 6; ++n) {
    for (std::int64_t m = 1; m <= 6; ++m) {
      std::vector<Point> points;
      for (std::int64_t x = 0; x <= n; ++x) {
        for (std::int64_t y = 0; y <= m; ++y) points.push_back({x, y});
      }
      int triangles = 0;
      for (std::size_t a = 0; a < points.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          for (std::size_t c = 0; c < b; ++c) {
            triangles += turn(points[a], points[b], points[c]) != 0;
          }
        }
      }
      const auto problem = restore_problem(
          "GridTriangleCounting", fmt::format(R"({{"MAX_N_M": 6, "N": {}, "M": {}}})", n, m));
      EXPECT_EQ(problem->reference(), std::to_string(triangles)) << n << " × " << m;
    }
  }
}

// Two rows: two corners in one of them and the third in the other.
TEST(GridTriangleCounting, CountsLongStripsExactly) {
  for (const std::int64_t n : {std::int64_t{1'000'000'000}, std::int64_t{1} << 61}) {
    const auto problem = restore_problem("GridTriangleCounting",
                                         fmt::format(R"({{"MAX_N_M": 5, "N": 1, "M": {}}})", n));
    const BigInt row = BigInt(n) + 1;
    EXPECT_EQ(problem->reference(), format_answer(BigInt(row * row * (row - 1))));
  }
}

// Besides those within a row, the triples on a line have one point in each row, the middle one
// halfway between the others.
TEST(GridTriangleCounting, CountsThreeRowsExactly) {
  const std::int64_t n = 1'999;
  const BigInt row = n + 1;
  const BigInt points = 3 * row;
  const BigInt in_a_row = 3 * (row * (row - 1) * (row - 2) / 6);
  const BigInt across = 2 * (row / 2) * (row / 2);  // ends of equal parity in the outer rows
  const auto problem = restore_problem("GridTriangleCounting",
                                       fmt::format(R"({{"MAX_N_M": 5, "N": {}, "M": 2}})", n));
  EXPECT_EQ(problem->reference(),
            format_answer(BigInt(points * (points - 1) * (points - 2) / 6 - in_a_row - across)));
}

}  // namespace
}  // namespace redqueen
