#include "redqueen/gym/common/number/prime_field.h"

#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/number/rational_residue.h"

namespace redqueen {
namespace {

TEST(PrimeField, CalculatesAsFractionsDo) {
  Rng rng({.seed = 1, .purpose = hash_name("prime field"), .step = 0, .index = 0, .salt = 0});
  for (const std::int64_t prime : {998244353, 1000000007, 666623333, 2147483647}) {
    const PrimeField field(prime);
    const auto residue_of = [&](const Rational& q) { return rational_residue(q, prime); };
    for (int i = 0; i < 300; ++i) {
      const std::int64_t a = rng.integer(-1'000'000, 1'000'000);
      const std::int64_t b = rng.integer(1, 1'000'000);
      const std::int64_t c = rng.integer(1, 1'000'000);
      const std::int64_t left = field.divide(field.reduce(a), b);
      const std::int64_t right = field.inverse(c);
      const Rational exact_left = Rational(a, b);
      const Rational exact_right = Rational(1, c);
      EXPECT_EQ(left, residue_of(exact_left));
      EXPECT_EQ(field.add(left, right), residue_of(exact_left + exact_right));
      EXPECT_EQ(field.subtract(left, right), residue_of(exact_left - exact_right));
      EXPECT_EQ(field.multiply(left, right), residue_of(exact_left * exact_right));
      EXPECT_EQ(field.power(right, 3), residue_of(exact_right * exact_right * exact_right));
    }
  }
}

TEST(PrimeField, TabulatesInverses) {
  for (const std::int64_t prime : {101, 998244353}) {
    const PrimeField field(prime);
    const auto table = field.inverses(100);
    EXPECT_EQ(table[0], 0);
    for (int i = 1; i <= 100; ++i) EXPECT_EQ(table[i], field.inverse(i)) << i;
  }
  EXPECT_EQ(PrimeField(7).inverses(0), std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace redqueen
