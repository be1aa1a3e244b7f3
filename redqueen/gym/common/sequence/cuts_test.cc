#include "redqueen/gym/common/sequence/cuts.h"

#include <gtest/gtest.h>

#include <set>

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All cuts of n places.
std::vector<List> all_cuts(int n) {
  std::vector<List> cuts;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << (n - 1); ++set) {
    List ends;
    for (int i = 1; i < n; ++i) {
      if ((set >> (i - 1) & 1) != 0) ends.push_back(i);
    }
    ends.push_back(n);
    cuts.push_back(ends);
  }
  return cuts;
}

TEST(Cuts, EndAtTheLastPlaceAndRise) {
  for (const List& ends : all_cuts(5)) EXPECT_TRUE(is_cut(5, ends));
  for (const List& ends : {List{}, List{4}, List{0, 5}, List{2, 2, 5}, List{3, 2, 5}, List{5, 6},
                           List{-1, 5}, List{5, 5}}) {
    EXPECT_FALSE(is_cut(5, ends));
  }
}

TEST(Cuts, AreDrawnFromAll) {
  Rng rng({.purpose = hash_name("cuts")});
  std::set<List> seen;
  for (int round = 0; round < 500; ++round) seen.insert(random_cut(4, rng));
  EXPECT_EQ(seen.size(), 8u);
  for (const List& ends : seen) EXPECT_TRUE(is_cut(4, ends));
}

TEST(Cuts, HaveRunsOfOneLength) {
  EXPECT_EQ(cut_by_length(5, 1), (List{1, 2, 3, 4, 5}));
  EXPECT_EQ(cut_by_length(5, 2), (List{2, 4, 5}));
  EXPECT_EQ(cut_by_length(6, 3), (List{3, 6}));
  EXPECT_EQ(cut_by_length(5, 9), (List{5}));
}

TEST(Cuts, AreTheCheapestOfAll) {
  Rng rng({.purpose = hash_name("cheapest cuts")});
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + round % 7;
    std::vector<List> table(n + 1, List(n + 1));
    for (List& row : table) {
      for (std::int64_t& cost : row) cost = rng.integer(-9, 20);
    }
    const auto cost = [&](std::int64_t before, std::int64_t last) { return table[before][last]; };
    const CheapestCuts cuts = cheapest_cuts(n, cost);
    EXPECT_TRUE(cuts.ends(0).empty());
    std::int64_t in_two = std::numeric_limits<std::int64_t>::max();
    std::int64_t by_length = std::numeric_limits<std::int64_t>::max();
    for (const List& ends : all_cuts(n)) {
      if (ends.size() == 2 || n == 1) in_two = std::min(in_two, cost_of_cut(ends, cost));
      for (int length = 1; length <= n; ++length) {
        if (ends != cut_by_length(n, length)) continue;
        by_length = std::min(by_length, cost_of_cut(ends, cost));
      }
    }
    EXPECT_EQ(cost_of_cut(cheapest_cut_in_two(n, cost), cost), in_two);
    EXPECT_EQ(cost_of_cut(cheapest_cut_by_length(n, cost), cost), by_length);
    for (int i = 1; i <= n; ++i) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const List& ends : all_cuts(i)) least = std::min(least, cost_of_cut(ends, cost));
      EXPECT_EQ(cuts.least[i], least);
      EXPECT_TRUE(is_cut(i, cuts.ends(i)));
      EXPECT_EQ(cost_of_cut(cuts.ends(i), cost), least);
    }
  }
}

}  // namespace
}  // namespace redqueen
