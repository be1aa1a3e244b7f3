#include "redqueen/gym/common/number/sieve.h"

#include <gtest/gtest.h>

#include <numeric>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

std::vector<std::int64_t> divisors_by_search(std::int64_t n) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d <= n; ++d) {
    if (n % d == 0) divisors.push_back(d);
  }
  return divisors;
}

TEST(Sieve, TablesAgreeWithCounting) {
  constexpr int kLimit = 400;
  const auto totients = totients_up_to(kLimit);
  const auto counts = divisor_counts_up_to(kLimit);
  const auto moebius = moebius_up_to(kLimit);
  std::vector<int> primes;
  for (int x = 1; x <= kLimit; ++x) {
    const auto divisors = divisors_by_search(x);
    EXPECT_EQ(counts[x], static_cast<int>(divisors.size()));
    int coprime = 0;
    for (int y = 1; y <= x; ++y) coprime += std::gcd(x, y) == 1;
    EXPECT_EQ(totients[x], coprime);
    EXPECT_EQ(totient(x), coprime);
    int sum = 0;  // Möbius values over the divisors of x add up to [x = 1]
    for (const std::int64_t d : divisors) sum += moebius[d];
    EXPECT_EQ(sum, x == 1 ? 1 : 0);
    EXPECT_EQ(is_prime(x), divisors.size() == 2);
    if (divisors.size() == 2) primes.push_back(x);
    EXPECT_EQ(divisors_of(x), divisors);
  }
  EXPECT_EQ(primes_up_to(kLimit), primes);
}

TEST(Sieve, TablesAreTheSameOnBothSidesOfTheKeptOnes) {
  for (const auto& table :
       {smallest_factors_up_to, moebius_up_to, totients_up_to, divisor_counts_up_to}) {
    const std::vector<int> large = table(kKeptTable + 100);
    for (const int limit : {1, 2, 1000, kKeptTable - 1, kKeptTable, kKeptTable + 1}) {
      EXPECT_EQ(table(limit), std::vector<int>(large.begin(), large.begin() + limit + 1)) << limit;
    }
  }
}

TEST(Sieve, WorksAtTheSmallestLimits) {
  EXPECT_TRUE(primes_up_to(1).empty());
  EXPECT_TRUE(primes_up_to(-3).empty());
  EXPECT_EQ(totients_up_to(0), std::vector<int>{0});
  EXPECT_EQ(totients_up_to(1), (std::vector<int>{0, 1}));
}

TEST(Sieve, FactorisesNumbersOfAnySize) {
  Rng rng({.seed = 1, .purpose = hash_name("sieve"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 300; ++i) {
    std::int64_t n = rng.integer(1, std::int64_t{1} << rng.integer(0, 62));
    if (i % 3 == 0) {  // squares and products of large primes
      const std::int64_t root = rng.integer(1'000'000, 2'000'000'000);
      n = root * (i % 2 == 0 ? root : rng.integer(1'000'000, 2'000'000'000));
    }
    std::int64_t product = 1;
    std::int64_t previous = 1;
    for (const auto& [prime, exponent] : factorise(n)) {
      EXPECT_TRUE(is_prime(prime)) << prime;
      EXPECT_GT(prime, previous);
      previous = prime;
      for (int e = 0; e < exponent; ++e) product *= prime;
    }
    EXPECT_EQ(product, n);
  }
}

// Strong pseudoprimes to several small bases.
TEST(Sieve, IsNotFooledByPseudoprimes) {
  for (const std::int64_t n : {2047LL, 1373653LL, 25326001LL, 3215031751LL, 3474749660383LL,
                               341550071728321LL, 3825123056546413051LL}) {
    EXPECT_FALSE(is_prime(n)) << n;
    EXPECT_GE(factorise(n).size(), 2u) << n;
  }
  EXPECT_TRUE(is_prime((std::int64_t{1} << 61) - 1));
  EXPECT_FALSE(is_prime(-7));
}

}  // namespace
}  // namespace redqueen
