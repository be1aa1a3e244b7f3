#include "redqueen/gym/common/geometry/enclosing_circle.h"

#include <algorithm>
#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/number/modular.h"

namespace redqueen {
namespace {

// A circle by the points that determine it: one, the two ends of a diameter, or three.
struct Border {
  std::array<Point, 3> points;
  int count = 0;

  bool contains(const Point& p) const {
    const auto& [a, b, c] = points;
    if (count == 1) return p == a;
    if (count == 2) return dot(minus(a, p), minus(b, p)) <= 0;
    // The sign of the determinant of (x, y, x² + y²), relative to p, over a, b, c.
    const Point u = minus(a, p);
    const Point v = minus(b, p);
    const Point w = minus(c, p);
    const Int128 determinant = static_cast<Int128>(dot(u, u)) * cross(v, w) +
                               static_cast<Int128>(dot(v, v)) * cross(w, u) +
                               static_cast<Int128>(dot(w, w)) * cross(u, v);
    return turn(a, b, c) > 0 ? determinant >= 0 : determinant <= 0;
  }
};

EnclosingCircle circle_of(const Border& border) {
  const auto& [a, b, c] = border.points;
  if (border.count == 1) return {static_cast<double>(a[0]), static_cast<double>(a[1]), 0.0, 1};
  if (border.count == 2) {
    return {static_cast<double>(a[0] + b[0]) / 2, static_cast<double>(a[1] + b[1]) / 2,
            std::sqrt(static_cast<double>(squared_distance(a, b))) / 2, 2};
  }
  const Point ab = minus(b, a);
  const Point ac = minus(c, a);
  const auto bb = static_cast<long double>(dot(ab, ab));
  const auto cc = static_cast<long double>(dot(ac, ac));
  const auto twice = static_cast<long double>(2 * cross(ab, ac));
  const long double x =
      (bb * static_cast<long double>(ac[1]) - cc * static_cast<long double>(ab[1])) / twice;
  const long double y =
      (cc * static_cast<long double>(ab[0]) - bb * static_cast<long double>(ac[0])) / twice;
  return {static_cast<double>(static_cast<long double>(a[0]) + x),
          static_cast<double>(static_cast<long double>(a[1]) + y),
          static_cast<double>(std::sqrt(x * x + y * y)), 3};
}

}  // namespace

EnclosingCircle enclosing_circle(std::span<const Point> points) {
  std::vector<Point> p(points.begin(), points.end());
  Rng rng({.purpose = hash_name("enclosing circle")});
  rng.shuffle(p);
  Border border{.points = {p[0]}, .count = 1};
  for (std::size_t i = 1; i < p.size(); ++i) {
    if (border.contains(p[i])) continue;
    border = {.points = {p[i]}, .count = 1};
    for (std::size_t j = 0; j < i; ++j) {
      if (border.contains(p[j])) continue;
      border = {.points = {p[i], p[j]}, .count = 2};
      for (std::size_t k = 0; k < j; ++k) {
        if (!border.contains(p[k])) border = {.points = {p[i], p[j], p[k]}, .count = 3};
      }
    }
  }
  return circle_of(border);
}

}  // namespace redqueen
