// Primes, factorisations and multiplicative functions.
#pragma once

#include <cstdint>
#include <vector>

namespace redqueen {

// The primes ≤ limit, ascending.
std::vector<int> primes_up_to(int limit);

// The tables below for limits up to kKeptTable are copied from ones that are made once.
inline constexpr int kKeptTable = 1 << 14;

// Entry x is the smallest prime factor of x, for 2 ≤ x ≤ limit; entries 0 and 1 are 0.
std::vector<int> smallest_factors_up_to(int limit);

// Entry x is F(x) for 1 ≤ x ≤ limit, entry 0 is 0. F is multiplicative: F(1) = 1 and F(p^e · rest)
// = at(p, e) · F(rest).
template <typename Number, typename AtPrimePower>
std::vector<Number> multiplicative_up_to(int limit, AtPrimePower at) {
  const std::vector<int> smallest = smallest_factors_up_to(limit);
  std::vector<Number> values(static_cast<std::size_t>(limit) + 1, Number{0});
  if (limit >= 1) values[1] = Number{1};
  for (int x = 2; x <= limit; ++x) {
    const int prime = smallest[x];
    int power = prime;
    int rest = x / prime;
    int exponent = 1;
    for (; smallest[rest] == prime; rest /= prime, power *= prime) ++exponent;
    values[x] = rest == 1 ? static_cast<Number>(at(prime, exponent))
                          : static_cast<Number>(values[power] * values[rest]);
  }
  return values;
}

std::vector<int> moebius_up_to(int limit);
std::vector<int> totients_up_to(int limit);
std::vector<int> divisor_counts_up_to(int limit);

struct PrimePower {
  std::int64_t prime;
  int exponent;
  bool operator==(const PrimePower&) const = default;
};

// n ≥ 1, any 63-bit value, in O(n^{1/4}) expected; primes ascending, empty for 1.
std::vector<PrimePower> factorise(std::int64_t n);

// False below 2.
bool is_prime(std::int64_t n);

// All divisors of n ≥ 1, ascending.
std::vector<std::int64_t> divisors_of(std::int64_t n);

// The count of numbers in 1 … n that are coprime to n ≥ 1.
std::int64_t totient(std::int64_t n);

}  // namespace redqueen
