// The smallest circle around points of the plane.
#pragma once

#include <span>

#include "redqueen/gym/common/geometry/point.h"

namespace redqueen {

struct EnclosingCircle {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
  int on_border = 0;  // how many points determine it: 2 as the ends of a diameter, or 3; else 1
};

// The circle of the least radius that contains all points, by Welzl's method ("Smallest enclosing
// disks (balls and ellipsoids)", 1991) with exact predicates; its numbers are right to about 15
// digits. At least one point, coordinates of at most 10^6 in size. O(n) in the mean, whatever the
// order of the points.
EnclosingCircle enclosing_circle(std::span<const Point> points);

}  // namespace redqueen
