#include "redqueen/arena/environments/numpy_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace redqueen::arena {
namespace {

// The words of NumPy 2.4.6: np.random.PCG64(np.random.SeedSequence(seed)).random_raw(2).
TEST(NumpyRandom, DrawsTheWordsOfPcg64) {
  NumpyRandom zero(0);
  EXPECT_EQ(zero.next64(), 11749869230777074271u);
  EXPECT_EQ(zero.next64(), 4976686463289251617u);
  NumpyRandom large(18446744073709551615u);
  EXPECT_EQ(large.next64(), 12544278110101001871u);
}

TEST(NumpyRandom, ShufflesIntoAPermutation) {
  NumpyRandom random(7);
  std::vector<int> list(100);
  std::iota(list.begin(), list.end(), 0);
  auto shuffled = list;
  random.shuffle(std::span(shuffled));
  EXPECT_NE(shuffled, list);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, list);
}

TEST(NumpyRandom, KeepsToTheBoundsOfIntegers) {
  NumpyRandom random(3);
  std::vector<int> counts(6);
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(random.integers(-2, 4) + 2)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.integers(5, 6), 5);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(random.integers(-most, most), random.integers(-most, most));
}

}  // namespace
}  // namespace redqueen::arena
