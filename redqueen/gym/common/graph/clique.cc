#include "redqueen/gym/common/graph/clique.h"

#include <array>

namespace redqueen {
namespace {

class CliqueSearch {
 public:
  explicit CliqueSearch(const NeighbourSets& near) : near_(near) {}

  VertexSet run() {
    extend(0, first_vertices(static_cast<int>(near_.size())));
    return best_;
  }

 private:
  void extend(VertexSet clique, VertexSet candidates) {
    if (candidates == 0) {
      if (std::popcount(clique) > std::popcount(best_)) best_ = clique;
      return;
    }
    // A clique has at most one vertex of a colour. Vertices of high colours are tried first.
    std::array<signed char, kMaxSetVertices> order;
    std::array<signed char, kMaxSetVertices> colour_of;
    int placed = 0;
    int colour = 0;
    for (VertexSet left = candidates; left != 0;) {
      ++colour;
      for (VertexSet free = left; free != 0;) {
        const int v = std::countr_zero(free);
        order[placed] = static_cast<signed char>(v);
        colour_of[placed++] = static_cast<signed char>(colour);
        left &= ~single(v);
        free &= ~single(v) & ~near_[v];
      }
    }
    while (placed-- > 0) {
      if (std::popcount(clique) + colour_of[placed] <= std::popcount(best_)) return;
      const int v = order[placed];
      extend(clique | single(v), candidates & near_[v]);
      candidates &= ~single(v);
    }
  }

  const NeighbourSets& near_;
  VertexSet best_ = 0;
};

}  // namespace

VertexSet maximum_clique(const NeighbourSets& near) { return CliqueSearch(near).run(); }

}  // namespace redqueen
