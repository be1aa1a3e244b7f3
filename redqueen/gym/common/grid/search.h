// Searches of a grid whose steps go from a cell to one that shares a side with it: distances and
// connected parts.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "redqueen/gym/common/grid/shape.h"

namespace redqueen {

// The least number of steps of each cell from the nearest source through cells for which
// is_free(place) holds; −1 where there is no way. Sources are different places and free.
template <typename IsFree>
std::vector<int> grid_distances(const GridShape& shape, std::vector<int> sources, IsFree is_free) {
  std::vector<int> distance(static_cast<std::size_t>(shape.cells()), -1);
  for (const int place : sources) distance[place] = 0;
  std::vector<int> queue = std::move(sources);
  queue.reserve(distance.size());
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int place = queue[next];
    shape.for_each_neighbour(place, [&](int other) {
      if (distance[other] >= 0 || !is_free(other)) return;
      distance[other] = distance[place] + 1;
      queue.push_back(other);
    });
  }
  return distance;
}

// The connected parts of the cells for which a condition holds.
struct GridParts {
  std::vector<int> part_of;  // by place; −1 where the condition does not hold
  std::vector<int> sizes;    // cells, by part; parts in the order of their first places
};

template <typename Holds>
GridParts grid_parts(const GridShape& shape, Holds holds) {
  GridParts parts{.part_of = std::vector<int>(static_cast<std::size_t>(shape.cells()), -1),
                  .sizes = {}};
  std::vector<int> open;
  for (int start = 0; start < shape.cells(); ++start) {
    if (parts.part_of[start] >= 0 || !holds(start)) continue;
    const int part = static_cast<int>(parts.sizes.size());
    parts.sizes.push_back(0);
    parts.part_of[start] = part;
    open.assign(1, start);
    while (!open.empty()) {
      const int place = open.back();
      open.pop_back();
      ++parts.sizes[part];
      shape.for_each_neighbour(place, [&](int other) {
        if (parts.part_of[other] >= 0 || !holds(other)) return;
        parts.part_of[other] = part;
        open.push_back(other);
      });
    }
  }
  return parts;
}

}  // namespace redqueen
