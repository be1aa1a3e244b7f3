// The field of residues modulo a prime, in which fractions are residues too.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/gym/common/number/modular.h"

namespace redqueen {

// Residues lie in [0, prime). 2 ≤ prime < 2^31, so that products fit 64 bits.
class PrimeField {
 public:
  constexpr explicit PrimeField(std::int64_t prime) : prime_(prime) {}

  std::int64_t prime() const { return prime_; }

  // The residue of any integer.
  std::int64_t reduce(std::int64_t a) const {
    const std::int64_t r = a % prime_;
    return r < 0 ? r + prime_ : r;
  }

  // All below take residues and give one.
  std::int64_t add(std::int64_t a, std::int64_t b) const {
    return a + b >= prime_ ? a + b - prime_ : a + b;
  }
  std::int64_t subtract(std::int64_t a, std::int64_t b) const {
    return a < b ? a - b + prime_ : a - b;
  }
  std::int64_t multiply(std::int64_t a, std::int64_t b) const { return a * b % prime_; }

  // a^exponent; a^0 is 1. exponent ≥ 0.
  std::int64_t power(std::int64_t a, std::int64_t exponent) const {
    return pow_mod(a, exponent, prime_);
  }

  // b ≠ 0.
  std::int64_t inverse(std::int64_t b) const { return *inverse_mod(b, prime_); }
  std::int64_t divide(std::int64_t a, std::int64_t b) const { return multiply(a, inverse(b)); }

  // The inverses of 1 … n at their places; place 0 holds 0. 0 ≤ n < prime.
  std::vector<std::int64_t> inverses(int n) const {
    std::vector<std::int64_t> table(static_cast<std::size_t>(n) + 1, n > 0 ? 1 : 0);
    table[0] = 0;
    // prime = ⌊prime/i⌋·i + prime mod i, so that 1/i ≡ −⌊prime/i⌋ / (prime mod i).
    for (std::int64_t i = 2; i <= n; ++i) {
      const std::int64_t rest = table[prime_ % i];
      table[i] = multiply(prime_ - prime_ / i, rest);
    }
    return table;
  }

 private:
  std::int64_t prime_;
};

}  // namespace redqueen
