#include "redqueen/gym/common/sequence/fenwick.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(FenwickTree, AddsMaximisesAndFindsAsAListDoes) {
  Rng rng({.purpose = hash_name("fenwick")});
  for (std::int64_t size = 1; size <= 40; ++size) {
    FenwickTree<std::int64_t> sums(size);
    FenwickTree<std::int64_t, KeepLarger> maxima(size, -5);
    std::vector<std::int64_t> added(static_cast<std::size_t>(size), 0);
    std::vector<std::int64_t> largest(static_cast<std::size_t>(size), -5);
    for (int step = 0; step < 50; ++step) {
      const std::int64_t place = rng.integer(0, size - 1);
      const std::int64_t value = rng.integer(0, 3);
      sums.join(place, value);
      maxima.join(place, value - 8);
      added[place] += value;
      largest[place] = std::max(largest[place], value - 8);
      const std::int64_t count = rng.integer(0, size);
      EXPECT_EQ(sums.prefix(count),
                std::accumulate(added.begin(), added.begin() + count, std::int64_t{0}));
      std::int64_t most = -5;
      for (std::int64_t i = 0; i < count; ++i) most = std::max(most, largest[i]);
      EXPECT_EQ(maxima.prefix(count), most);
      const std::int64_t sum = rng.integer(0, 60);
      std::int64_t first = 0;
      std::int64_t so_far = 0;
      while (first < size && (so_far += added[first]) <= sum) ++first;
      EXPECT_EQ(sums.first_beyond(sum), first);
    }
  }
}

}  // namespace
}  // namespace redqueen
