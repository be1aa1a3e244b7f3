#include "redqueen/gym/common/number/xor_blocks.h"

#include <gtest/gtest.h>

#include <map>

namespace redqueen {
namespace {

TEST(XorBlocks, HoldEveryPairOnce) {
  for (std::int64_t n = 0; n <= 13; ++n) {
    for (std::int64_t m = 0; m <= 18; ++m) {
      for (const std::int64_t x : {0, 5, 16, 100}) {
        std::map<std::int64_t, std::int64_t> expected;
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < m; ++j) ++expected[i ^ j ^ x];
        }
        std::map<std::int64_t, std::int64_t> found;
        for_each_xor_block(n, m, x, [&](std::int64_t first, std::int64_t last, std::int64_t times) {
          for (std::int64_t value = first; value <= last; ++value) found[value] += times;
        });
        EXPECT_EQ(found, expected) << n << ' ' << m << ' ' << x;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
