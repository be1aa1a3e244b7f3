#include "redqueen/gym/common/graph/assignment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t cost_of(const std::vector<int>& columns, const List& costs) {
  std::int64_t cost = 0;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    cost += costs[row * columns.size() + columns[row]];
  }
  return cost;
}

TEST(Assignment, IsTheCheapestOfAll) {
  Rng rng({.purpose = hash_name("assignment")});
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + round % 6;
    const std::int64_t most = round % 2 == 0 ? 5 : std::int64_t{1} << 57;
    List costs(static_cast<std::size_t>(n) * n);
    for (std::int64_t& cost : costs) cost = rng.integer(-most, most);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    do {
      least = std::min(least, cost_of(order, costs));
    } while (std::ranges::next_permutation(order).found);
    std::vector<int> columns = cheapest_assignment(n, costs);
    EXPECT_EQ(cost_of(columns, costs), least);
    std::ranges::sort(columns);
    EXPECT_EQ(columns, order);
  }
}

}  // namespace
}  // namespace redqueen
