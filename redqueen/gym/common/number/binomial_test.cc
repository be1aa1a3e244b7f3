#include "redqueen/gym/common/number/binomial.h"

#include <gtest/gtest.h>

#include <bit>

namespace redqueen {
namespace {

TEST(Binomial, CountsSubsets) {
  for (int n = 0; n <= 10; ++n) {
    std::vector<int> subsets(static_cast<std::size_t>(n) + 1);
    for (std::uint32_t set = 0; set < std::uint32_t{1} << n; ++set) ++subsets[std::popcount(set)];
    for (int k = 0; k <= n; ++k) {
      EXPECT_EQ(binomial(n, k), subsets[k]);
      for (const int modulus : {1, 2, 10, 1'000'000}) {
        EXPECT_EQ(PascalTriangle(n, modulus)(n, k), subsets[k] % modulus);
      }
    }
    EXPECT_EQ(binomial(n, -1), 0);
    EXPECT_EQ(binomial(n, n + 1), 0);
  }
}

TEST(Binomial, AgreesWithPascalBeyondWords) {
  constexpr std::int64_t kModulus = std::int64_t{1} << 62;
  const PascalTriangle triangle(150, kModulus);
  for (const int k : {0, 1, 40, 75, 149, 150}) {
    EXPECT_EQ(BigInt(binomial(150, k) % kModulus), triangle(150, k)) << k;
  }
}

}  // namespace
}  // namespace redqueen
