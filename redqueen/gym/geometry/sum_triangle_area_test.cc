#include <algorithm>
#include <cmath>

#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// By Heron's formula, which knows lengths only; a single area is off by less than 10^-6.
std::int64_t total_by_heron(const std::vector<Point>& points) {
  std::int64_t total = 0;
  const auto distance = [](const Point& a, const Point& b) {
    return std::sqrt(static_cast<long double>(squared_distance(a, b)));
  };
  for (std::size_t a = 0; a < points.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      for (std::size_t c = 0; c < b; ++c) {
        const long double ab = distance(points[a], points[b]);
        const long double bc = distance(points[b], points[c]);
        const long double ca = distance(points[c], points[a]);
        const long double s = (ab + bc + ca) / 2;
        const long double square = s * (s - ab) * (s - bc) * (s - ca);
        total += std::llround(2 * std::sqrt(std::max(square, 0.0L)));
      }
    }
  }
  return total;
}

TEST(SumTriangleArea, AgreesWithHeronsFormula) {
  for (int level = 0; level <= 20; ++level) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto problem = make_problem("SumTriangleArea", level, seed);
      const auto points = problem->parameter()["points"].get<std::vector<Point>>();
      EXPECT_EQ(problem->reference(), std::to_string(total_by_heron(points)));
    }
  }
}

TEST(SumTriangleArea, RefusesAForgedReference) {
  const Environment& environment = *Registry::native().find("SumTriangleArea");
  EXPECT_TRUE(environment.restore(
      *parse_json(R"({"N": 3, "points": [[0, 0], [4, 0], [0, 5]], "reference_answer": 20})")));
  EXPECT_FALSE(environment.restore(
      *parse_json(R"({"N": 3, "points": [[0, 0], [4, 0], [0, 5]], "reference_answer": 10})")));
}

}  // namespace
}  // namespace redqueen
