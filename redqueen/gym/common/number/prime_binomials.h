// Binomial coefficients modulo a prime above them.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/gym/common/number/prime_field.h"

namespace redqueen {

// Tables of factorials 0! … n! and of their inverses. 0 ≤ n < prime.
class PrimeBinomials {
 public:
  PrimeBinomials(PrimeField field, int n)
      : field_(field),
        factorials_(static_cast<std::size_t>(n) + 1, 1),
        inverses_(static_cast<std::size_t>(n) + 1, 1) {
    for (int i = 1; i <= n; ++i) factorials_[i] = field.multiply(factorials_[i - 1], i);
    inverses_[n] = field.inverse(factorials_[n]);
    for (int i = n; i > 0; --i) inverses_[i - 1] = field.multiply(inverses_[i], i);
  }

  // Takes numbers of 0 … n.
  std::int64_t factorial(std::int64_t of) const { return factorials_[of]; }
  std::int64_t inverse_factorial(std::int64_t of) const { return inverses_[of]; }

  // C(of, chosen), which is 0 unless 0 ≤ chosen ≤ of. of ≤ n.
  std::int64_t operator()(std::int64_t of, std::int64_t chosen) const {
    if (chosen < 0 || chosen > of) return 0;
    return field_.multiply(factorials_[of],
                           field_.multiply(inverses_[chosen], inverses_[of - chosen]));
  }

 private:
  PrimeField field_;
  std::vector<std::int64_t> factorials_;
  std::vector<std::int64_t> inverses_;
};

}  // namespace redqueen
