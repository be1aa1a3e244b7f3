// Random lattice points of which no three are on a line.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/gym/common/geometry/point.h"

namespace redqueen {

// Points of the lattice 0 … width times 0 … height, to which others are added one by one. Knows at
// once which are still possible: adding one marks the lattice on its lines through the others. Its
// memory is that of the lattice.
class GeneralPosition {
 public:
  GeneralPosition(std::int64_t width, std::int64_t height)
      : width_(width),
        height_(height),
        blocked_(static_cast<std::size_t>((width + 1) * (height + 1)), 0) {}

  const std::vector<Point>& points() const { return points_; }

  // True if the point, which is one of the lattice, is new and on no line through two others.
  bool allows(const Point& point) const { return blocked_[index(point)] == 0; }

  // The point is allowed.
  void add(const Point& point);

 private:
  std::size_t index(const Point& point) const {
    return static_cast<std::size_t>(point[1] * (width_ + 1) + point[0]);
  }
  void block_ray(Point from, const Point& step);

  std::int64_t width_;
  std::int64_t height_;
  std::vector<Point> points_;
  std::vector<char> blocked_;  // by row
};

}  // namespace redqueen
