#include "redqueen/gym/common/sequence/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace redqueen {
namespace {

// Every list of n integers of −1 … n.
TEST(Order, HoldsEachIndexOnce) {
  for (int n = 1; n <= 4; ++n) {
    std::vector<std::int64_t> list(n, -1);
    int orders = 0;
    while (true) {
      std::vector<std::int64_t> sorted = list;
      std::ranges::sort(sorted);
      EXPECT_EQ(is_order(n, list), sorted == ascending_order(n));
      orders += is_order(n, list) ? 1 : 0;
      int place = 0;
      while (place < n && ++list[place] > n) list[place++] = -1;
      if (place == n) break;
    }
    EXPECT_EQ(orders, std::tgamma(n + 1.0));
    EXPECT_TRUE(is_order(n, descending_order(n)));
  }
}

TEST(Order, ToleratesAnything) {
  const std::vector<std::int64_t> extremes{std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max()};
  EXPECT_FALSE(is_order(2, extremes));
  EXPECT_FALSE(is_order(1, extremes));
  EXPECT_FALSE(is_order(3, {}));
}

TEST(Order, IsCountedByItsValue) {
  const auto first_item = [](const std::vector<std::int64_t>& order) { return order.front(); };
  EXPECT_EQ(count_orders_within(3, 0, -1, first_item), 0);
  EXPECT_EQ(count_orders_within(3, 0, 0, first_item), 2);
  EXPECT_EQ(count_orders_within(4, 1, 3, first_item), 18);
  EXPECT_EQ(count_orders_within(4, 1, 9, first_item), 24);
}

}  // namespace
}  // namespace redqueen
