#include "redqueen/gym/common/geometry/general_position.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(GeneralPosition, AllowsExactlyWhatIsOnNoLineOfTwo) {
  Rng rng({.seed = 1});
  for (int round = 0; round < 20; ++round) {
    const std::int64_t width = rng.integer(1, 9);
    const std::int64_t height = rng.integer(1, 9);
    GeneralPosition position(width, height);
    for (int attempt = 0; attempt < 30; ++attempt) {
      const std::int64_t x = rng.integer(0, width);
      const Point point{x, rng.integer(0, height)};
      const std::vector<Point>& points = position.points();
      bool allowed = std::ranges::find(points, point) == points.end();
      for (const Point& a : points) {
        for (const Point& b : points) allowed = allowed && (a == b || turn(a, b, point) != 0);
      }
      ASSERT_EQ(position.allows(point), allowed);
      if (allowed) position.add(point);
    }
  }
}

}  // namespace
}  // namespace redqueen
