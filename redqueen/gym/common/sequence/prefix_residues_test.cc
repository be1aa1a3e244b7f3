#include "redqueen/gym/common/sequence/prefix_residues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace redqueen {
namespace {

constexpr auto kAdd = [](std::int64_t a, std::int64_t b) { return a + b; };
constexpr auto kMultiply = [](std::int64_t a, std::int64_t b) { return a * b; };

TEST(PrefixResidues, CountsThoseOfEveryPermutation) {
  for (std::int64_t n = 1; n <= 6; ++n) {
    std::vector<std::int64_t> order = numbers_up_to(n);
    do {
      std::set<std::int64_t> sums;
      std::set<std::int64_t> products;
      std::int64_t sum = 0;
      std::int64_t product = 1;
      for (const std::int64_t number : order) {
        sums.insert((sum += number) % n);
        products.insert((product *= number) % n);
      }
      EXPECT_EQ(distinct_prefix_residues(order, n, kAdd), static_cast<std::int64_t>(sums.size()));
      EXPECT_EQ(distinct_prefix_residues(order, n, kMultiply),
                static_cast<std::int64_t>(products.size()));
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST(PrefixResidues, RefusesWhatIsNoPermutation) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& list : {std::vector<std::int64_t>{},
                                                {1, 2},
                                                {1, 2, 2},
                                                {0, 1, 2},
                                                {1, 2, 4},
                                                {1, 2, kHuge},
                                                {1, 2, -kHuge}}) {
    EXPECT_FALSE(distinct_prefix_residues(list, 3, kAdd).has_value());
  }
}

}  // namespace
}  // namespace redqueen
