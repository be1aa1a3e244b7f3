// Factorials and binomial coefficients modulo a small power of a prime.
//
// Source: A. Granville, "Arithmetic properties of binomial coefficients", 1997: n! is p^v times a
// product of residues that p does not divide, which repeats with the period p^e but for its sign.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/gym/common/number/modular.h"

namespace redqueen {

class PrimePowerFactorial {
 public:
  // A table of p^e numbers. e ≥ 1, p^e ≤ 2^20.
  PrimePowerFactorial(std::int64_t prime, int exponent) : prime_(prime), exponent_(exponent) {
    for (int i = 0; i < exponent; ++i) modulus_ *= prime;
    products_.assign(modulus_, 1 % modulus_);
    for (std::int64_t i = 1; i < modulus_; ++i) {
      products_[i] = i % prime == 0 ? products_[i - 1] : products_[i - 1] * i % modulus_;
    }
  }

  std::int64_t modulus() const { return modulus_; }

  // The number of times that the prime divides n!. n ≥ 0.
  std::int64_t valuation(std::int64_t n) const {
    std::int64_t sum = 0;
    while (n > 0) sum += n /= prime_;
    return sum;
  }

  // n! without its factors p, modulo p^e. n ≥ 0.
  std::int64_t unit(std::int64_t n) const {
    std::int64_t product = 1 % modulus_;
    std::int64_t periods = 0;
    for (; n > 0; n /= prime_) {
      product = product * products_[n % modulus_] % modulus_;
      periods += n / modulus_ % 2;
    }
    // A whole period is 1 or −1 (Wilson, Gauss).
    return periods % 2 == 1 ? product * products_.back() % modulus_ : product;
  }

  // C(n, k) modulo p^e. 0 ≤ k ≤ n.
  std::int64_t binomial(std::int64_t n, std::int64_t k) const {
    const std::int64_t power = valuation(n) - valuation(k) - valuation(n - k);
    if (power >= exponent_) return 0;
    const std::int64_t below = unit(k) * unit(n - k) % modulus_;
    std::int64_t result = unit(n) * *inverse_mod(below, modulus_) % modulus_;
    for (std::int64_t i = 0; i < power; ++i) result = result * prime_ % modulus_;
    return result;
  }

 private:
  std::int64_t prime_;
  int exponent_;
  std::int64_t modulus_ = 1;
  std::vector<std::int64_t> products_;  // of the numbers 1 … i that p does not divide
};

}  // namespace redqueen
