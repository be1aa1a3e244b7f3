#include "redqueen/gym/common/sequence/inversions.h"

#include <gtest/gtest.h>

#include <set>

#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

std::int64_t inversions_by_pairs(const std::vector<std::int64_t>& values) {
  std::int64_t count = 0;
  for (std::size_t j = 0; j < values.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) count += values[i] > values[j];
  }
  return count;
}

TEST(Inversions, AreCountedAsByAllPairs) {
  Rng rng({.purpose = hash_name("inversions")});
  for (int round = 0; round < 300; ++round) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(rng.integer(0, 120)));
    for (std::int64_t& value : values) value = rng.integer(-9, 30);
    EXPECT_EQ(count_inversions(values), inversions_by_pairs(values));
  }
}

TEST(Inversions, AreAsManyAsAskedForInAnOrder) {
  Rng rng({.purpose = hash_name("order with inversions")});
  for (int n = 1; n <= 12; ++n) {
    for (std::int64_t inversions = 0; inversions <= n * (n - 1) / 2; ++inversions) {
      const std::vector<int> order = order_with_inversions(n, inversions, rng);
      const std::vector<std::int64_t> values(order.begin(), order.end());
      EXPECT_TRUE(is_order(n, values));
      EXPECT_EQ(inversions_by_pairs(values), inversions);
    }
  }
}

TEST(Inversions, ComeInEveryOrderThatHasThem) {
  Rng rng({.purpose = hash_name("all orders with inversions")});
  std::set<std::vector<int>> seen;
  for (int round = 0; round < 2000; ++round) seen.insert(order_with_inversions(5, 4, rng));
  EXPECT_EQ(seen.size(), 20u);  // the coefficient of x^4 in (1+x)(1+x+x^2)…(1+x+x^2+x^3+x^4)
}

}  // namespace
}  // namespace redqueen
