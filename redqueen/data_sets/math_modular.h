// Expressions modulo primes: what is too large to expand is compared by its residues.
#pragma once

#include <cstdint>
#include <optional>

#include "redqueen/data_sets/math_expression.h"

namespace redqueen::data_sets {

// A number that the form of an expression determines, the same on every machine.
std::uint64_t hash_of(const Expression& e);

// Evaluates rational functions of symbols, e and π modulo a prime, in which each symbol stands for
// a residue that seed and point choose.
class ModularEvaluator {
 public:
  // The prime lies above 2^60, is 1 modulo 4, and is chosen by the seed. Whoever writes an answer
  // cannot know it if the seed depends on the answer.
  ModularEvaluator(std::uint64_t seed, Work& work);

  // nullopt where the expression is no such function, has no value modulo the prime, or takes too
  // much work.
  std::optional<std::uint64_t> operator()(const Expression& e, int point = 0);

  std::uint64_t prime() const { return prime_; }
  // The a/b of two residues; nullopt if b is 0.
  std::optional<std::uint64_t> quotient(std::uint64_t a, std::uint64_t b) const;

 private:
  std::optional<std::uint64_t> power(const Expression& base, const Expression& exponent, int point);
  std::optional<std::uint64_t> function(const Expression& e);
  std::optional<std::uint64_t> residue(const Rational& value);

  std::uint64_t seed_;
  Work& work_;
  std::uint64_t prime_;
  std::uint64_t inverse_;            // FLINT's, for products modulo prime_
  std::uint64_t root_of_minus_one_;  // i
};

}  // namespace redqueen::data_sets
