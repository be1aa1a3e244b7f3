#include "redqueen/gym/common/graph/colouring.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(Colouring, GivesColoursOtherNames) {
  const Colouring colouring = renamed(List{7, -3, 7, 100, -3});
  EXPECT_EQ(colouring.count, 3);
  EXPECT_EQ(colouring.colour, (std::vector<int>{1, 0, 1, 2, 0}));
  EXPECT_EQ(renamed(List{}).count, 0);
}

TEST(Colouring, IsProperIfEdgesJoinTwoColours) {
  const std::vector<Edge> edges{{0, 1}, {1, 2}};
  EXPECT_TRUE(proper_colouring(3, edges, List{5, 6, 5}).has_value());
  EXPECT_FALSE(proper_colouring(3, edges, List{5, 5, 6}).has_value());
  EXPECT_FALSE(proper_colouring(3, edges, List{5, 6}).has_value());
}

TEST(Colouring, IsDrawnWithAllColours) {
  Rng rng({.seed = 5});
  for (int count = 1; count <= 9; ++count) {
    const std::vector<int> colours = draw_classes(9, count, rng);
    EXPECT_EQ(renamed(List(colours.begin(), colours.end())).count, count);
    EXPECT_EQ(*std::ranges::max_element(colours), count - 1);
  }
}

TEST(Colouring, FitsTheSmallestFreeColour) {
  const NeighbourSets near = neighbour_sets(4, std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}});
  EXPECT_EQ(first_fit_colouring(near, std::vector<int>{0, 1, 2, 3}), (List{0, 1, 0, 1}));
  EXPECT_EQ(first_fit_colouring(near, std::vector<int>{0, 3, 1, 2}), (List{0, 1, 2, 0}));
}

}  // namespace
}  // namespace redqueen
