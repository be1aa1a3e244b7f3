#include "redqueen/gym/common/number/modular.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

constexpr std::int64_t kLarge = (std::int64_t{1} << 62) - 57;

Rng test_rng() {
  return Rng({.seed = 1, .purpose = hash_name("modular"), .step = 0, .index = 0, .salt = 0});
}

TEST(Modular, MultipliesAndRaisesLikeBigIntegers) {
  Rng rng = test_rng();
  for (int i = 0; i < 300; ++i) {
    const std::int64_t modulus = rng.integer(1, i % 2 == 0 ? 50 : kLarge);
    const std::int64_t a = rng.integer(-kLarge, kLarge);
    const std::int64_t b = rng.integer(-kLarge, kLarge);
    BigInt product = BigInt(a) * b % modulus;
    if (product < 0) product += modulus;
    EXPECT_EQ(mul_mod(a, b, modulus), product);
    const std::int64_t exponent = rng.integer(0, i % 3 == 0 ? 5 : kLarge);
    const std::int64_t base = rng.integer(0, kLarge);
    const BigInt power = powm(BigInt(base), BigInt(exponent), BigInt(modulus));
    EXPECT_EQ(pow_mod(base, exponent, modulus), power);
    EXPECT_EQ(pow_mod(base, BigInt(exponent), modulus), power);
  }
}

TEST(Modular, FindsBezoutCoefficientsAndInverses) {
  Rng rng = test_rng();
  for (int i = 0; i < 500; ++i) {
    const std::int64_t range = i % 2 == 0 ? 20 : kLarge;
    const std::int64_t a = rng.integer(-range, range);
    const std::int64_t b = rng.integer(-range, range);
    const Bezout bezout = extended_gcd(a, b);
    EXPECT_EQ(bezout.gcd, std::gcd(a, b));
    EXPECT_EQ(BigInt(a) * bezout.x + BigInt(b) * bezout.y, bezout.gcd);
    const std::int64_t modulus = rng.integer(1, range);
    const auto inverse = inverse_mod(a, modulus);
    ASSERT_EQ(inverse.has_value(), std::gcd(a, modulus) == 1);
    if (!inverse) continue;
    EXPECT_EQ(mul_mod(a, *inverse, modulus), 1 % modulus);
  }
}

TEST(Modular, SolvesCongruencesLikeASearch) {
  Rng rng = test_rng();
  for (int i = 0; i < 500; ++i) {
    std::vector<Congruence> congruences;
    std::int64_t common = 1;
    for (std::int64_t k = rng.integer(0, 4); k > 0; --k) {
      const std::int64_t modulus = rng.integer(1, 14);
      congruences.push_back({rng.integer(0, modulus - 1), modulus});
      common = std::lcm(common, modulus);
    }
    const auto fits = [&](std::int64_t x) {
      return std::ranges::all_of(congruences,
                                 [&](const Congruence& c) { return x % c.modulus == c.residue; });
    };
    std::int64_t expected = 0;
    while (expected < common && !fits(expected)) ++expected;
    const auto found = least_solution(congruences);
    ASSERT_EQ(found.has_value(), expected < common);
    if (!found) continue;
    EXPECT_EQ(*found, expected);
  }
}

TEST(Modular, SolvesCongruencesBeyond64Bits) {
  const std::array<Congruence, 3> congruences{
      {{1, kLarge}, {2, kLarge - 1}, {kLarge - 5, kLarge - 3}}};
  const auto found = least_solution(congruences);
  ASSERT_TRUE(found.has_value());
  for (const Congruence& c : congruences) EXPECT_EQ(residue(*found, c.modulus), c.residue);
}

TEST(Modular, FindsTheLeastDiscreteLogarithm) {
  for (std::int64_t modulus = 1; modulus <= 60; ++modulus) {
    for (std::int64_t base = 0; base <= modulus; ++base) {
      std::vector<std::int64_t> first(static_cast<std::size_t>(modulus), -1);
      std::int64_t power = 1 % modulus;
      for (std::int64_t y = 0; y <= modulus; ++y, power = power * base % modulus) {
        if (first[power] < 0) first[power] = y;
      }
      for (std::int64_t target = 0; target < modulus; ++target) {
        EXPECT_EQ(discrete_log(base, target, modulus).value_or(-1), first[target])
            << base << "^y = " << target << " mod " << modulus;
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
