#include "redqueen/gym/common/geometry/point.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

// A point is a corner if some half-plane through it holds all others strictly inside or behind it
// on the border's one side: all others lie within less than a half turn.
bool is_corner(const Point& corner, const std::set<Point>& points) {
  for (const Point& first : points) {
    if (first == corner) continue;
    const bool all_left = std::ranges::all_of(points, [&](const Point& other) {
      if (other == corner) return true;
      const std::int64_t sense = turn(corner, first, other);
      return sense > 0 || (sense == 0 && dot(minus(first, corner), minus(other, corner)) > 0);
    });
    if (all_left) return true;
  }
  return points.size() == 1;
}

TEST(ConvexHull, HoldsExactlyTheCorners) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 300; ++round) {
    std::vector<Point> points;
    for (std::int64_t count = rng.integer(1, 9); count > 0; --count) {
      const std::int64_t x = rng.integer(-3, 3);
      points.push_back({x, rng.integer(-3, 3)});
    }
    const std::set<Point> all(points.begin(), points.end());
    const std::vector<Point> hull = convex_hull(points);
    EXPECT_EQ(hull.size(), std::set<Point>(hull.begin(), hull.end()).size());
    for (const Point& point : all) {
      EXPECT_EQ(std::ranges::find(hull, point) != hull.end(), is_corner(point, all))
          << format_points(points);
    }
    for (std::size_t i = 0; hull.size() >= 3 && i < hull.size(); ++i) {
      EXPECT_GT(turn(hull[i], hull[(i + 1) % hull.size()], hull[(i + 2) % hull.size()]), 0);
    }
  }
}

// Pick's theorem: twice the area is 2·(points inside) + (points on the border) − 2.
TEST(ConvexHull, HasTheAreaOfItsLatticePoints) {
  Rng rng({.seed = 2});
  for (int round = 0; round < 100; ++round) {
    std::vector<Point> points;
    for (int i = 0; i < 6; ++i) {
      const std::int64_t x = rng.integer(0, 8);
      points.push_back({x, rng.integer(0, 8)});
    }
    const std::vector<Point> hull = convex_hull(points);
    if (hull.size() < 3) continue;
    std::int64_t twice = -2;
    for (std::int64_t x = 0; x <= 8; ++x) {
      for (std::int64_t y = 0; y <= 8; ++y) {
        std::int64_t least = 1'000;
        for (std::size_t i = 0; i < hull.size(); ++i) {
          least = std::min(least, turn(hull[i], hull[(i + 1) % hull.size()], {x, y}));
        }
        twice += least > 0 ? 2 : least == 0 ? 1 : 0;
      }
    }
    EXPECT_EQ(twice_area(hull), twice) << format_points(points);
  }
}

}  // namespace
}  // namespace redqueen
