// Modular arithmetic on 64-bit integers. Products go through 128 bits, so any modulus up to 2^62
// will do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "redqueen/base/big_int.h"

namespace redqueen {

__extension__ using Int128 = __int128;

// The residue of a in [0, modulus). modulus ≥ 1.
inline std::int64_t residue(Int128 a, std::int64_t modulus) {
  const auto r = static_cast<std::int64_t>(a % modulus);
  return r < 0 ? r + modulus : r;
}

inline std::int64_t residue(const BigInt& a, std::int64_t modulus) {
  return residue(BigInt(a % modulus).convert_to<std::int64_t>(), modulus);
}

// a·b in [0, modulus).
inline std::int64_t mul_mod(std::int64_t a, std::int64_t b, std::int64_t modulus) {
  return residue(static_cast<Int128>(a) * b, modulus);
}

// base^exponent in [0, modulus); base^0 is 1. exponent ≥ 0.
std::int64_t pow_mod(std::int64_t base, std::int64_t exponent, std::int64_t modulus);
std::int64_t pow_mod(std::int64_t base, const BigInt& exponent, std::int64_t modulus);

// gcd ≥ 0 and a·x + b·y = gcd, with |x| ≤ |b| and |y| ≤ |a| unless one of a and b is 0.
struct Bezout {
  std::int64_t gcd;
  std::int64_t x;
  std::int64_t y;
};
Bezout extended_gcd(std::int64_t a, std::int64_t b);

// The x in [0, modulus) with a·x ≡ 1; nullopt where a and the modulus share a factor.
std::optional<std::int64_t> inverse_mod(std::int64_t a, std::int64_t modulus);

// x ≡ residue (mod modulus), 0 ≤ residue < modulus.
struct Congruence {
  std::int64_t residue;
  std::int64_t modulus;
};

// The least x ≥ 0 that satisfies all, moduli coprime or not; nullopt if there is none. No
// congruence: 0.
std::optional<BigInt> least_solution(std::span<const Congruence> congruences);

// The least y ≥ 0 with base^y ≡ target, base and modulus coprime or not; nullopt if there is none.
// O(√modulus) time and memory.
std::optional<std::int64_t> discrete_log(std::int64_t base, std::int64_t target,
                                         std::int64_t modulus);

}  // namespace redqueen
