#include "redqueen/gym/common/number/modular.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace redqueen {

std::int64_t pow_mod(std::int64_t base, std::int64_t exponent, std::int64_t modulus) {
  std::int64_t square = residue(base, modulus);
  std::int64_t result = 1 % modulus;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = mul_mod(result, square, modulus);
    square = mul_mod(square, square, modulus);
  }
  return result;
}

std::int64_t pow_mod(std::int64_t base, const BigInt& exponent, std::int64_t modulus) {
  std::int64_t result = 1 % modulus;
  if (exponent == 0) return result;
  base = residue(base, modulus);
  for (auto bit = static_cast<int>(msb(exponent)); bit >= 0; --bit) {
    result = mul_mod(result, result, modulus);
    if (bit_test(exponent, static_cast<unsigned>(bit))) result = mul_mod(result, base, modulus);
  }
  return result;
}

Bezout extended_gcd(std::int64_t a, std::int64_t b) {
  std::int64_t x = 1, next_x = 0;
  std::int64_t y = 0, next_y = 1;
  while (b != 0) {
    const std::int64_t quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    x = std::exchange(next_x, x - quotient * next_x);
    y = std::exchange(next_y, y - quotient * next_y);
  }
  return a < 0 ? Bezout{-a, -x, -y} : Bezout{a, x, y};
}

std::optional<std::int64_t> inverse_mod(std::int64_t a, std::int64_t modulus) {
  const Bezout bezout = extended_gcd(residue(a, modulus), modulus);
  if (bezout.gcd != 1) return std::nullopt;
  return residue(bezout.x, modulus);
}

// Keeps x right for all congruences so far; what is added is a multiple of their common modulus.
std::optional<BigInt> least_solution(std::span<const Congruence> congruences) {
  BigInt x = 0;
  BigInt common = 1;
  for (const auto& [wanted, modulus] : congruences) {
    const std::int64_t missing = residue(wanted - residue(x, modulus), modulus);
    const std::int64_t step = residue(common, modulus);
    const std::int64_t shared = std::gcd(step, modulus);
    if (missing % shared != 0) return std::nullopt;
    const std::int64_t reduced = modulus / shared;
    const std::int64_t times =
        mul_mod(missing / shared, inverse_mod(step / shared, reduced).value_or(0), reduced);
    x += common * times;
    common *= reduced;
  }
  return x;
}

namespace {

// Baby steps and giant steps; base and modulus coprime. The least y ≥ 0 with factor·base^y ≡
// target.
std::optional<std::int64_t> discrete_log_coprime(std::int64_t factor, std::int64_t base,
                                                 std::int64_t target, std::int64_t modulus) {
  const auto width = static_cast<std::int64_t>(std::sqrt(static_cast<double>(modulus))) + 1;
  std::vector<std::pair<std::int64_t, std::int64_t>> baby;  // (target·base^j, −j): largest j first
  baby.reserve(width);
  std::int64_t value = target;
  for (std::int64_t j = 0; j < width; ++j, value = mul_mod(value, base, modulus)) {
    baby.emplace_back(value, -j);
  }
  std::ranges::sort(baby);
  const std::int64_t giant = pow_mod(base, width, modulus);
  value = factor;
  for (std::int64_t i = 1; i <= width; ++i) {
    value = mul_mod(value, giant, modulus);
    const auto found = std::ranges::lower_bound(baby, std::pair{value, -width});
    if (found != baby.end() && found->first == value) return i * width + found->second;
  }
  return std::nullopt;
}

}  // namespace

// Divides the modulus by what it shares with the base, one exponent at a time, until they are
// coprime.
std::optional<std::int64_t> discrete_log(std::int64_t base, std::int64_t target,
                                         std::int64_t modulus) {
  base = residue(base, modulus);
  target = residue(target, modulus);
  std::int64_t factor = 1 % modulus;
  for (std::int64_t taken = 0;; ++taken) {
    if (factor == target) return taken;
    const std::int64_t shared = std::gcd(base, modulus);
    if (shared == 1) {
      const auto rest = discrete_log_coprime(factor, base, target, modulus);
      if (!rest) return std::nullopt;
      return taken + *rest;
    }
    if (target % shared != 0) return std::nullopt;
    modulus /= shared;
    target /= shared;
    factor = mul_mod(factor, base / shared, modulus);
    base = residue(base, modulus);
  }
}

}  // namespace redqueen
