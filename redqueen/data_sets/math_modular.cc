#include "redqueen/data_sets/math_modular.h"

#include <flint/flint.h>
#include <flint/ulong_extras.h>

#include "redqueen/base/rng.h"
#include "redqueen/data_sets/math_exact.h"

namespace redqueen::data_sets {
namespace {

constexpr std::uint64_t kNodeWork = 300;
constexpr std::uint64_t kPowerWork = 3'000;
constexpr std::uint64_t kPrimeWork = 40'000;
constexpr std::uint64_t kFactorizationWork = 300'000;
constexpr std::uint64_t kFactorWork = 5;  // of a factor of a factorial
constexpr long kLargestFactorial = 200'000;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t remainder_of(const BigInt& value, std::uint64_t modulus) {
  BigInt rest = value % modulus;
  if (rest < 0) rest += modulus;
  return static_cast<std::uint64_t>(rest);
}

std::uint64_t prime_of(std::uint64_t seed) {
  std::uint64_t prime = (std::uint64_t{1} << 60) + (mixed(seed, 1) >> 5);
  do prime = n_nextprime(prime, 0);
  while (prime % 4 != 1);
  return prime;
}

// A natural number (is_natural) modulo any m.
std::optional<std::uint64_t> natural_modulo(const Expression& e, std::uint64_t m, Work& work) {
  using Kind = Expression::Kind;
  if (m == 1) return 0;
  if (const auto value = exact_value(e, work)) return remainder_of(numerator(*value), m);
  if (!work.spend(kPowerWork)) return std::nullopt;
  const std::uint64_t inverse = n_preinvert_limb(m);
  if (e.kind == Kind::kSum || e.kind == Kind::kProduct) {
    std::uint64_t total = e.kind == Kind::kSum ? 0 : 1;
    for (const ExpressionPtr& part : e.parts) {
      const auto value = natural_modulo(*part, m, work);
      if (!value) return std::nullopt;
      total = e.kind == Kind::kSum ? n_addmod(total, *value, m)
                                   : n_mulmod2_preinv(total, *value, m, inverse);
    }
    return total;
  }
  if (e.kind != Kind::kPower) return std::nullopt;
  const auto base = natural_modulo(*e.parts[0], m, work);
  if (!base) return std::nullopt;
  if (const auto exponent = exact_value(*e.parts[1], work)) {
    if (bits_of(*exponent) < 64)
      return n_powmod2_ui_preinv(*base, static_cast<std::uint64_t>(numerator(*exponent)), m,
                                 inverse);
  }
  // Euler's theorem as it holds for any base: exponents beyond 64 that are equal modulo φ(m) give
  // the same power.
  if (!work.spend(kFactorizationWork)) return std::nullopt;
  const std::uint64_t period = n_euler_phi(m);
  const auto exponent = natural_modulo(*e.parts[1], period, work);
  if (!exponent) return std::nullopt;
  const std::uint64_t once = n_powmod2_ui_preinv(*base, period, m, inverse);
  return n_mulmod2_preinv(n_powmod2_ui_preinv(*base, *exponent, m, inverse), once, m, inverse);
}

}  // namespace

std::uint64_t hash_of(const Expression& e) {
  constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;
  std::uint64_t hash = mixed(static_cast<std::uint64_t>(e.kind), hash_name(e.name));
  if (e.kind == Expression::Kind::kNumber) {
    hash = mixed(hash, remainder_of(numerator(e.value), kModulus));
    hash = mixed(hash, remainder_of(denominator(e.value), kModulus));
  }
  for (const ExpressionPtr& part : e.parts) hash = mixed(hash, hash_of(*part));
  return hash;
}

ModularEvaluator::ModularEvaluator(std::uint64_t seed, Work& work)
    : seed_(seed),
      work_(work),
      prime_(work.spend(kPrimeWork) ? prime_of(seed) : 5),
      inverse_(n_preinvert_limb(prime_)),
      root_of_minus_one_(n_sqrtmod(prime_ - 1, prime_)) {}

std::optional<std::uint64_t> ModularEvaluator::quotient(std::uint64_t a, std::uint64_t b) const {
  if (b == 0) return std::nullopt;
  return n_mulmod2_preinv(a, n_invmod(b, prime_), prime_, inverse_);
}

std::optional<std::uint64_t> ModularEvaluator::residue(const Rational& value) {
  if (!work_.spend(bits_of(value))) return std::nullopt;
  return quotient(remainder_of(numerator(value), prime_), remainder_of(denominator(value), prime_));
}

std::optional<std::uint64_t> ModularEvaluator::operator()(const Expression& e, int point) {
  using Kind = Expression::Kind;
  if (!work_.spend(kNodeWork)) return std::nullopt;
  switch (e.kind) {
    case Kind::kNumber:
      return residue(e.value);
    case Kind::kConstant:
      if (e.name == "infinity") return std::nullopt;
      if (e.name == "i") return root_of_minus_one_;
      [[fallthrough]];  // e and π stand for anything, as symbols do
    case Kind::kSymbol:
      return mixed(mixed(hash_name(e.name), seed_), static_cast<std::uint64_t>(point)) % prime_;
    case Kind::kSum:
    case Kind::kProduct: {
      std::uint64_t total = e.kind == Kind::kSum ? 0 : 1;
      for (const ExpressionPtr& part : e.parts) {
        const auto value = (*this)(*part, point);
        if (!value) return std::nullopt;
        total = e.kind == Kind::kSum ? n_addmod(total, *value, prime_)
                                     : n_mulmod2_preinv(total, *value, prime_, inverse_);
      }
      return total;
    }
    case Kind::kPower:
      return power(*e.parts[0], *e.parts[1], point);
    case Kind::kFunction:
      return function(e);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ModularEvaluator::power(const Expression& base,
                                                     const Expression& exponent, int point) {
  if (!work_.spend(kPowerWork)) return std::nullopt;
  const auto residue = (*this)(base, point);
  if (!residue) return std::nullopt;
  const auto value = exact_value(exponent, work_);
  if (value && denominator(*value) != 1) return std::nullopt;
  if (!value && !is_natural(exponent)) return std::nullopt;
  if (*residue == 0) {
    if (value && *value <= 0) return std::nullopt;
    return 0;
  }
  const auto reduced = value ? remainder_of(numerator(*value), prime_ - 1)
                             : natural_modulo(exponent, prime_ - 1, work_);
  if (!reduced) return std::nullopt;
  return n_powmod2_ui_preinv(*residue, *reduced, prime_, inverse_);
}

std::optional<std::uint64_t> ModularEvaluator::function(const Expression& e) {
  if (const auto value = exact_value(e, work_)) return residue(*value);
  if (e.name != "factorial" && e.name != "binomial") return std::nullopt;
  const auto small = [this](const Expression& part) -> std::optional<std::uint64_t> {
    const auto value = exact_value(part, work_);
    if (!value || denominator(*value) != 1 || *value < 0 || *value > kLargestFactorial)
      return std::nullopt;
    return static_cast<std::uint64_t>(numerator(*value));
  };
  const auto n = small(*e.parts[0]);
  if (!n || !work_.spend(kFactorWork * 2 * *n)) return std::nullopt;
  // The product of `count` factors from `first` on.
  const auto product = [this](std::uint64_t first, std::uint64_t count) {
    std::uint64_t total = 1;
    for (std::uint64_t i = 0; i < count; ++i)
      total = n_mulmod2_preinv(total, first + i, prime_, inverse_);
    return total;
  };
  if (e.name == "factorial") return product(1, *n);
  const auto k = small(*e.parts[1]);
  if (!k) return std::nullopt;
  if (*k > *n) return 0;
  const std::uint64_t least = std::min(*k, *n - *k);
  return quotient(product(*n - least + 1, least), product(1, least));
}

}  // namespace redqueen::data_sets
