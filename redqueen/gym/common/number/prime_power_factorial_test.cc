#include "redqueen/gym/common/number/prime_power_factorial.h"

#include <gtest/gtest.h>

#include <utility>

#include "redqueen/gym/common/number/binomial.h"

namespace redqueen {
namespace {

TEST(PrimePowerFactorial, AgreesWithExactBinomials) {
  for (const auto& [prime, exponent] :
       {std::pair{2, 1}, {2, 2}, {2, 3}, {2, 6}, {3, 1}, {3, 3}, {5, 1}, {5, 2}, {7, 2}, {11, 1}}) {
    const PrimePowerFactorial table(prime, exponent);
    for (const int n : {0, 1, 2, 10, 63, 64, 100, 257, 600}) {
      for (int k = 0; k <= n; k += 1 + n / 20) {
        EXPECT_EQ(BigInt(binomial(n, k) % table.modulus()), table.binomial(n, k))
            << n << " over " << k << " modulo " << prime << "^" << exponent;
      }
    }
  }
}

TEST(PrimePowerFactorial, TakesNumbersOf62Bits) {
  const PrimePowerFactorial table(5, 5);
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) - 1;
  EXPECT_EQ(table.binomial(kLarge, 1), kLarge % table.modulus());
  EXPECT_EQ(table.binomial(kLarge, 2),
            residue(BigInt(BigInt(kLarge) * (kLarge - 1) / 2), table.modulus()));
}

}  // namespace
}  // namespace redqueen
