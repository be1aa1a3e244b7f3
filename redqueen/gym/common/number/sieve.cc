#include "redqueen/gym/common/number/sieve.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "redqueen/gym/common/number/modular.h"

namespace redqueen {

namespace {

// table(limit), a table of which any beginning is the table of a smaller limit.
template <typename Table>
std::vector<int> kept_table(int limit, Table table) {
  if (limit < 0 || limit > kKeptTable) return table(limit);
  static const std::vector<int> kKept = table(kKeptTable);
  return {kKept.begin(), kKept.begin() + limit + 1};
}

// Linear sieve: every composite is struck once, by its smallest prime factor.
std::vector<int> sieve_smallest_factors(int limit) {
  std::vector<int> smallest(static_cast<std::size_t>(std::max(limit, 1)) + 1, 0);
  std::vector<int> primes;
  for (int x = 2; x <= limit; ++x) {
    if (smallest[x] == 0) {
      smallest[x] = x;
      primes.push_back(x);
    }
    for (const int prime : primes) {
      if (prime > smallest[x] || prime > limit / x) break;
      smallest[prime * x] = prime;
    }
  }
  return smallest;
}

}  // namespace

std::vector<int> smallest_factors_up_to(int limit) {
  return kept_table(limit, sieve_smallest_factors);
}

std::vector<int> primes_up_to(int limit) {
  std::vector<char> composite(static_cast<std::size_t>(std::max(limit, 1)) + 1, 0);
  std::vector<int> primes;
  for (std::int64_t x = 2; x <= limit; ++x) {
    if (composite[x]) continue;
    primes.push_back(static_cast<int>(x));
    for (std::int64_t multiple = x * x; multiple <= limit; multiple += x) composite[multiple] = 1;
  }
  return primes;
}

std::vector<int> moebius_up_to(int limit) {
  return kept_table(limit, [](int most) {
    return multiplicative_up_to<int>(most,
                                     [](int, int exponent) { return exponent == 1 ? -1 : 0; });
  });
}

std::vector<int> totients_up_to(int limit) {
  return kept_table(limit, [](int most) {
    return multiplicative_up_to<int>(most, [](int prime, int exponent) {
      int value = prime - 1;
      for (; exponent > 1; --exponent) value *= prime;
      return value;
    });
  });
}

std::vector<int> divisor_counts_up_to(int limit) {
  return kept_table(limit, [](int most) {
    return multiplicative_up_to<int>(most, [](int, int exponent) { return exponent + 1; });
  });
}

// Miller–Rabin; the first twelve primes as bases decide every 64-bit number (Sorenson and Webster
// 2015).
bool is_prime(std::int64_t n) {
  constexpr std::array kBases{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (const int base : kBases) {
    if (n % base == 0) return n == base;
  }
  if (n < 2) return false;
  if (n < 41 * 41) return true;
  std::int64_t odd = n - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  return std::ranges::all_of(kBases, [&](int base) {
    std::int64_t power = pow_mod(base, odd, n);
    if (power == 1 || power == n - 1) return true;
    for (int i = 1; i < twos; ++i) {
      power = mul_mod(power, power, n);
      if (power == n - 1) return true;
    }
    return false;
  });
}

namespace {

constexpr std::int64_t kTrialLimit = 256;

// A proper factor of an odd composite n (Pollard's rho, x ← x² + c, differences multiplied before a
// gcd is taken).
std::int64_t proper_factor(std::int64_t n) {
  constexpr int kBatch = 64;
  for (std::int64_t c = 1;; ++c) {
    const auto next = [&](std::int64_t x) { return residue(static_cast<Int128>(x) * x + c, n); };
    std::int64_t slow = 2;
    std::int64_t fast = 2;
    std::int64_t shared = 1;
    while (shared == 1) {
      const std::int64_t batch_slow = slow;
      const std::int64_t batch_fast = fast;
      std::int64_t product = 1;
      for (int i = 0; i < kBatch; ++i) {
        slow = next(slow);
        fast = next(next(fast));
        product = mul_mod(product, slow - fast, n);
      }
      shared = std::gcd(product, n);
      if (shared != n) continue;
      // The batch ran past both factors: again, one step at a time.
      slow = batch_slow;
      fast = batch_fast;
      do {
        slow = next(slow);
        fast = next(next(fast));
        shared = std::gcd(slow - fast, n);
      } while (shared == 1);
    }
    if (shared != n) return shared;
  }
}

void collect_primes(std::int64_t n, std::vector<std::int64_t>& primes) {
  if (n == 1) return;
  if (is_prime(n)) {
    primes.push_back(n);
    return;
  }
  const std::int64_t factor = proper_factor(n);
  collect_primes(factor, primes);
  collect_primes(n / factor, primes);
}

}  // namespace

std::vector<PrimePower> factorise(std::int64_t n) {
  std::vector<PrimePower> factors;
  for (std::int64_t d = 2; d < kTrialLimit && d * d <= n; d += d == 2 ? 1 : 2) {
    if (n % d != 0) continue;
    factors.push_back({d, 0});
    for (; n % d == 0; n /= d) ++factors.back().exponent;
  }
  std::vector<std::int64_t> large;
  collect_primes(n, large);
  std::ranges::sort(large);
  for (const std::int64_t prime : large) {
    if (factors.empty() || factors.back().prime != prime) factors.push_back({prime, 0});
    ++factors.back().exponent;
  }
  return factors;
}

std::vector<std::int64_t> divisors_of(std::int64_t n) {
  std::vector<std::int64_t> divisors{1};
  for (const auto& [prime, exponent] : factorise(n)) {
    const std::size_t before = divisors.size();
    std::int64_t power = 1;
    for (int e = 0; e < exponent; ++e) {
      power *= prime;
      for (std::size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
    }
  }
  std::ranges::sort(divisors);
  return divisors;
}

std::int64_t totient(std::int64_t n) {
  for (const auto& [prime, exponent] : factorise(n)) n -= n / prime;
  return n;
}

}  // namespace redqueen
