#include "redqueen/gym/common/geometry/general_position.h"

#include <numeric>

namespace redqueen {

void GeneralPosition::add(const Point& point) {
  for (const Point& other : points_) {
    const Point way = minus(other, point);
    const std::int64_t parts = std::gcd(way[0], way[1]);
    const Point step{way[0] / parts, way[1] / parts};
    block_ray(point, step);
    block_ray(point, {-step[0], -step[1]});
  }
  blocked_[index(point)] = 1;
  points_.push_back(point);
}

void GeneralPosition::block_ray(Point from, const Point& step) {
  while (from[0] >= 0 && from[0] <= width_ && from[1] >= 0 && from[1] <= height_) {
    blocked_[index(from)] = 1;
    from = {from[0] + step[0], from[1] + step[1]};
  }
}

}  // namespace redqueen
