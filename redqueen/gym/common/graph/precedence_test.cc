#include "redqueen/gym/common/graph/precedence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Precedence, AgreesWithTryingAllOrders) {
  Rng rng({.seed = 1, .purpose = hash_name("precedence"), .step = 0, .index = 0, .salt = 0});
  int contradictions = 0;
  for (int round = 0; round < 100; ++round) {
    const int n = static_cast<int>(rng.integer(2, 5));
    std::vector<Edge> conditions;
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        if (a != b && rng.chance(0.2)) conditions.emplace_back(a, b);
      }
    }
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::optional<std::vector<std::int64_t>> first;  // in lexicographical order
    do {
      std::int64_t kept = 0;
      for (const auto& [a, b] : conditions) {
        kept += std::ranges::find(order, a) < std::ranges::find(order, b);
      }
      EXPECT_EQ(conditions_kept(order, conditions), kept);
      if (!first && kept == std::ssize(conditions)) first = order;
    } while (std::ranges::next_permutation(order).found);
    EXPECT_EQ(smallest_first(n, conditions), first);
    EXPECT_EQ(check_conditions("pairs", n, conditions).has_value(),
              first.has_value() && !conditions.empty());
    contradictions += !first.has_value();
  }
  EXPECT_GT(contradictions, 5);
}

TEST(Precedence, RefusesWhatIsNoOrder) {
  EXPECT_TRUE(is_permutation_of(3, std::vector<std::int64_t>{2, 0, 1}));
  EXPECT_FALSE(is_permutation_of(3, std::vector<std::int64_t>{2, 0, 2}));
  EXPECT_FALSE(is_permutation_of(3, std::vector<std::int64_t>{2, 0}));
  EXPECT_FALSE(is_permutation_of(3, std::vector<std::int64_t>{3, 0, 1}));
  EXPECT_FALSE(check_conditions("pairs", 2, {{0, 0}}).has_value());
  EXPECT_FALSE(check_conditions("pairs", 2, {{0, 1}, {0, 1}}).has_value());
}

}  // namespace
}  // namespace redqueen
