#include "redqueen/gym/common/geometry/point.h"

#include <algorithm>

#include "redqueen/base/format.h"

namespace redqueen {

std::vector<Point> convex_hull(std::vector<Point> points) {
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  if (points.size() < 2) return points;
  std::vector<Point> hull;
  hull.reserve(2 * points.size());
  for (int side = 0; side < 2; ++side) {
    const std::size_t base = hull.size();
    for (const Point& point : points) {
      while (hull.size() >= base + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0) {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();  // the other side begins with it
    std::ranges::reverse(points);
  }
  return hull;
}

std::int64_t twice_area(std::span<const Point> corners) {
  std::int64_t area = 0;
  for (std::size_t i = 2; i < corners.size(); ++i) {
    area += turn(corners[0], corners[i - 1], corners[i]);
  }
  return area;
}

Point bounding_box(std::span<const Point> points) {
  Point least = points[0];
  Point most = points[0];
  for (const Point& point : points) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      least[axis] = std::min(least[axis], point[axis]);
      most[axis] = std::max(most[axis], point[axis]);
    }
  }
  return minus(most, least);
}

std::string format_points(std::span<const Point> points) {
  std::string text;
  for (const Point& point : points) {
    if (!text.empty()) text += '\n';
    append_format(text, "({}, {})", point[0], point[1]);
  }
  return text;
}

Status check_points(std::string_view key, std::span<const Point> points, std::int64_t n, int least,
                    int most, std::int64_t largest) {
  if (n < least || n > most || points.size() != static_cast<std::size_t>(n)) {
    return failure("\"{}\": expected \"N\" points, {} to {}, found {}", key, least, most,
                   points.size());
  }
  for (const Point& point : points) {
    if (std::min(point[0], point[1]) < -largest || std::max(point[0], point[1]) > largest) {
      return failure("\"{}\": expected coordinates from -{} to {}", key, largest, largest);
    }
  }
  return {};
}

}  // namespace redqueen
