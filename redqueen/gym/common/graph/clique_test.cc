#include "redqueen/gym/common/graph/clique.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

bool is_clique(const NeighbourSets& near, VertexSet set) {
  for (const std::int64_t v : members_of(set)) {
    if ((set & ~near[v]) != single(static_cast<int>(v))) return false;
  }
  return true;
}

TEST(Clique, IsALargestOfAllSets) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Rng rng({.seed = seed, .purpose = hash_name("clique"), .step = 0, .index = 0, .salt = 0});
    const int n = static_cast<int>(rng.integer(1, 11));
    const auto edges = draw_edges(n, static_cast<int>(rng.integer(0, n * (n - 1) / 2)), rng);
    const NeighbourSets near = neighbour_sets(n, edges);
    int most = 0;
    for (VertexSet set = 0; set < single(n); ++set) {
      if (is_clique(near, set)) most = std::max(most, std::popcount(set));
    }
    const VertexSet found = maximum_clique(near);
    EXPECT_TRUE(is_clique(near, found));
    EXPECT_EQ(std::popcount(found), most);
  }
}

TEST(Clique, IsFoundAmongSixtyFourVertices) {
  Rng rng({.seed = 1, .purpose = hash_name("clique"), .step = 0, .index = 1, .salt = 0});
  const NeighbourSets near = neighbour_sets(64, draw_edges(64, 1700, rng));
  EXPECT_TRUE(is_clique(near, maximum_clique(near)));
  EXPECT_EQ(maximum_clique({}), 0u);
}

}  // namespace
}  // namespace redqueen
