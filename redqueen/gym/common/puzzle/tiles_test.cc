#include "redqueen/gym/common/puzzle/tiles.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(Tiles, AreEachNumberOnce) {
  Rng rng({.seed = 1, .purpose = hash_name("tiles"), .step = 0, .index = 0, .salt = 0});
  const GridShape shape{.rows = 3, .columns = 4};
  Tiles tiles = random_tiles(shape, rng);
  EXPECT_TRUE(check_tiles("tiles", tiles, shape).has_value());
  EXPECT_EQ(matching_tiles(tiles, tiles), 12);
  EXPECT_FALSE(check_tiles("tiles", tiles, {.rows = 4, .columns = 3}).has_value());
  Tiles other = tiles;
  std::swap(other[0][0], other[2][3]);
  EXPECT_EQ(matching_tiles(tiles, other), 10);
  tiles[0][0] = tiles[2][3];
  EXPECT_FALSE(check_tiles("tiles", tiles, shape).has_value());
  tiles[0][0] = 12;
  EXPECT_FALSE(check_tiles("tiles", tiles, shape).has_value());
}

// Moves exchange neighbours in a single row.
TEST(Tiles, AreClimbedByTheMoveThatGainsMost) {
  const Tiles start{{1, 0, 2, 4, 3}};
  const Tiles destination{{0, 1, 2, 3, 4}};
  const auto make = [](Tiles& tiles, int place) {
    std::swap(tiles[0][place], tiles[0][place + 1]);
  };
  const auto gain = [&](const Tiles& tiles, int place) {
    Tiles after = tiles;
    make(after, place);
    return matching_tiles(after, destination) - matching_tiles(tiles, destination);
  };
  const auto choices = [](const Tiles&, const std::vector<int>&) {
    return std::vector<int>{0, 1, 2, 3};
  };
  EXPECT_EQ(climb_tiles<int>(start, destination, 9, choices, gain, make), (std::vector<int>{0, 3}));
  EXPECT_EQ(climb_tiles<int>(start, destination, 1, choices, gain, make), (std::vector<int>{0}));
}

}  // namespace
}  // namespace redqueen
