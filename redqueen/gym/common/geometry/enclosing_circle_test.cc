#include "redqueen/gym/common/geometry/enclosing_circle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

// The cost of a centre is convex: nested searches for its least value, in x and in y.
template <typename Cost>
double least_value(double low, double high, Cost cost) {
  for (int step = 0; step < 100; ++step) {
    const double third = (high - low) / 3;
    if (cost(low + third) < cost(high - third)) {
      high -= third;
    } else {
      low += third;
    }
  }
  return cost((low + high) / 2);
}

TEST(EnclosingCircle, AgreesWithASearchForTheBestCentre) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 60; ++round) {
    std::vector<Point> points;
    for (std::int64_t count = rng.integer(1, 8); count > 0; --count) {
      const std::int64_t x = rng.integer(-9, 9);
      points.push_back({x, rng.integer(-9, 9)});
    }
    const EnclosingCircle circle = enclosing_circle(points);
    const double radius = least_value(-10, 10, [&](double x) {
      return least_value(-10, 10, [&](double y) {
        double far = 0;
        for (const Point& point : points) {
          far = std::max(far, std::hypot(x - static_cast<double>(point[0]),
                                         y - static_cast<double>(point[1])));
        }
        return far;
      });
    });
    EXPECT_NEAR(circle.radius, radius, 1e-6) << format_points(points);
    int on_border = 0;
    for (const Point& point : points) {
      const double distance = std::hypot(circle.x - static_cast<double>(point[0]),
                                         circle.y - static_cast<double>(point[1]));
      EXPECT_LE(distance, circle.radius + 1e-12);
      on_border += distance > circle.radius - 1e-12;
    }
    EXPECT_GE(on_border, circle.on_border);
  }
}

TEST(EnclosingCircle, IsExactForLargeCoordinates) {
  const std::int64_t far = 1'000'000;
  const std::vector<Point> points{{1, far - 1}, {-far, -1}, {far, -1}, {0, 1 - far}, {0, far}};
  const EnclosingCircle circle = enclosing_circle(points);
  EXPECT_EQ(circle.on_border, 3);
  for (const Point& point : points) {
    EXPECT_LE(std::hypot(circle.x - static_cast<double>(point[0]),
                         circle.y - static_cast<double>(point[1])),
              circle.radius * (1 + 1e-14));
  }
}

}  // namespace
}  // namespace redqueen
