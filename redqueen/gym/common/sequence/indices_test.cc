#include "redqueen/gym/common/sequence/indices.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

TEST(Indices, AreCheckedForOrderAndRange) {
  EXPECT_TRUE(are_ascending_indices(3, List{}));
  EXPECT_TRUE(are_ascending_indices(3, List{0, 2}));
  EXPECT_FALSE(are_ascending_indices(3, List{2, 0}));
  EXPECT_FALSE(are_ascending_indices(3, List{1, 1}));
  EXPECT_FALSE(are_ascending_indices(3, List{0, 3}));
  EXPECT_FALSE(are_ascending_indices(3, List{-1, 2}));
}

TEST(Indices, AreCheckedForRepetition) {
  EXPECT_TRUE(are_distinct_indices(3, List{}));
  EXPECT_TRUE(are_distinct_indices(3, List{2, 0}));
  EXPECT_TRUE(are_distinct_indices(3, List{3, 1}, 1));
  EXPECT_FALSE(are_distinct_indices(3, List{1, 1}));
  EXPECT_FALSE(are_distinct_indices(3, List{0, 1, 2, 0}));
  EXPECT_FALSE(are_distinct_indices(3, List{0, 3}));
  EXPECT_FALSE(are_distinct_indices(3, List{-1}));
  EXPECT_FALSE(are_distinct_indices(3, List{0, 1}, 1));
  EXPECT_FALSE(are_distinct_indices(3, List{std::numeric_limits<std::int64_t>::min()}, 1));
  EXPECT_FALSE(are_distinct_indices(3, List{std::numeric_limits<std::int64_t>::max()}));
}

TEST(Indices, AreDrawnAsAnySubset) {
  Rng rng({.purpose = hash_name("indices")});
  std::set<List> seen;
  for (int round = 0; round < 200; ++round) seen.insert(random_indices(3, rng));
  EXPECT_EQ(seen.size(), 8u);
}

TEST(Indices, AreShownBesideTheValues) {
  EXPECT_EQ(with_indices("A", List{5, -3}), "A[0]=5 A[1]=-3");
  EXPECT_EQ(with_indices("d", List{7}, 1), "d[1]=7");
}

}  // namespace
}  // namespace redqueen
