#include <set>

#include "redqueen/gym/common/geometry/point.h"
#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Twice the hull's area by its sides: those pairs that have all other points on their left.
std::int64_t area_of_sides(const std::vector<Point>& points) {
  std::int64_t area = 0;
  for (const Point& a : points) {
    for (const Point& b : points) {
      if (a == b) continue;
      bool side = true;
      for (const Point& c : points) side = side && (c == a || c == b || turn(a, b, c) > 0);
      if (side) area += cross(a, b);
    }
  }
  return area;
}

TEST(ConvexHullEnvironment, AgreesWithTheSumOverItsSides) {
  for (int level = 0; level <= 12; ++level) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto problem = make_problem("ConvexHull", level, seed);
      const auto points = problem->parameter()["points"].get<std::vector<Point>>();
      EXPECT_EQ(problem->reference(), std::to_string(area_of_sides(points)));
    }
  }
}

TEST(ConvexHullEnvironment, DrawsDifferentPointsWithinTheSquareAndNoThreeOnALine) {
  for (int level = 0; level <= 8; ++level) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Json parameter = make_problem("ConvexHull", level, seed)->parameter();
      const auto points = parameter["points"].get<std::vector<Point>>();
      ASSERT_EQ(points.size(), parameter["N"].get<std::size_t>());
      for (const Point& a : points) {
        EXPECT_TRUE(a[0] >= 0 && a[1] >= 0 && a[0] <= parameter["N"] && a[1] <= parameter["N"]);
        for (const Point& b : points) {
          for (const Point& c : points) {
            EXPECT_TRUE(!(a < b && b < c) || turn(a, b, c) != 0);
          }
        }
      }
      EXPECT_EQ(std::set<Point>(points.begin(), points.end()).size(), points.size());
    }
  }
}

TEST(ConvexHullEnvironment, PaysByCloseness) {
  const auto problem = restore_problem(
      "ConvexHull", R"({"N": 3, "points": [[0, 0], [4, 0], [0, 5]], "reference_answer": 20})");
  EXPECT_TRUE(problem->score("20").solved);
  EXPECT_NEAR(problem->score("40").reward, 1.0 / 32, 1e-12);
  EXPECT_NEAR(problem->score("10").reward, 1.0 / 32, 1e-12);
  EXPECT_EQ(problem->score("0").reward, kMalformedReward);
  EXPECT_EQ(problem->score("-20").reward, kMalformedReward);
  EXPECT_FALSE(Registry::native()
                   .find("ConvexHull")
                   ->restore(*parse_json(
                       R"({"N": 3, "points": [[0, 0], [4, 0], [0, 5]], "reference_answer": 21})")));
}

}  // namespace
}  // namespace redqueen
