#include "redqueen/gym/common/number/prime_binomials.h"

#include <gtest/gtest.h>

namespace redqueen {
namespace {

TEST(PrimeBinomials, AgreesWithPascalsTriangle) {
  for (const std::int64_t prime : {31, 1'000'000'007}) {
    const PrimeBinomials choose(PrimeField(prime), 30);
    std::vector<std::int64_t> row{1};
    for (int n = 0; n <= 30; ++n) {
      for (int k = 0; k <= n; ++k) EXPECT_EQ(choose(n, k), row[k]) << n << " over " << k;
      EXPECT_EQ(choose(n, n + 1), 0);
      EXPECT_EQ(choose(n, -1), 0);
      row.push_back(0);
      for (int k = n + 1; k > 0; --k) row[k] = (row[k] + row[k - 1]) % prime;
    }
  }
}

TEST(PrimeBinomials, HoldsFactorialsAndTheirInverses) {
  const PrimeField field(13);
  const PrimeBinomials choose(field, 12);
  EXPECT_EQ(choose.factorial(12), 12);  // Wilson's theorem
  for (int i = 0; i <= 12; ++i) {
    EXPECT_EQ(field.multiply(choose.factorial(i), choose.inverse_factorial(i)), 1);
  }
}

}  // namespace
}  // namespace redqueen
