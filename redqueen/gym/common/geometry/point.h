// Points of the plane with integer coordinates, and exact predicates on them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

using Point = std::array<std::int64_t, 2>;  // x, y

// All of the following are exact for coordinates of up to 2^30 in size.

inline Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1]}; }
inline std::int64_t cross(const Point& a, const Point& b) { return a[0] * b[1] - a[1] * b[0]; }
inline std::int64_t dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1]; }

inline std::int64_t squared_distance(const Point& a, const Point& b) {
  return dot(minus(b, a), minus(b, a));
}

// Twice the area of the triangle a, b, c: positive if they turn left, 0 if they are on one line.
inline std::int64_t turn(const Point& a, const Point& b, const Point& c) {
  return cross(minus(b, a), minus(c, a));
}

// The corners of the convex hull, counterclockwise, from the least point on; points inside its
// sides are none. One point or none is its own hull. O(n log n), by Andrew's monotone chain
// ("Another efficient algorithm for convex hulls in two dimensions", 1979).
std::vector<Point> convex_hull(std::vector<Point> points);

// Twice the area of a polygon; positive if its corners are given counterclockwise.
std::int64_t twice_area(std::span<const Point> corners);

// Width and height of the smallest box around the points, which has its sides along the axes. One
// point at least.
Point bounding_box(std::span<const Point> points);

// "(x, y)", a point a line.
std::string format_points(std::span<const Point> points);

// Fails unless there are `n` points, least … most of them, with coordinates of at most `largest` in
// size. The message speaks of `key`.
Status check_points(std::string_view key, std::span<const Point> points, std::int64_t n, int least,
                    int most, std::int64_t largest);

}  // namespace redqueen
