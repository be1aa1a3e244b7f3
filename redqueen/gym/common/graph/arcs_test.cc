#include "redqueen/gym/common/graph/arcs.h"

#include <gtest/gtest.h>

#include "redqueen/gym/common/graph/vertex_sets.h"

namespace redqueen {
namespace {

TEST(Arcs, LeadAlongEveryEdgeBothWays) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng({.seed = seed});
    const int n = static_cast<int>(rng.integer(1, 12));
    const auto edges = draw_edges(n, static_cast<int>(rng.integer(0, n * (n - 1) / 2)), rng);
    const Arcs arcs(n, edges);
    std::size_t count = 0;
    for (int v = 0; v < n; ++v) {
      int before = -1;
      for (const auto& [to, edge] : arcs.of(v)) {
        EXPECT_GT(edge, before);
        before = edge;
        EXPECT_EQ(edges[edge], Edge(std::minmax(v, to)));
        ++count;
      }
    }
    EXPECT_EQ(count, 2 * edges.size());
  }
}

}  // namespace
}  // namespace redqueen
