// Mathematical expressions as trees, and comparisons of their values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/data_sets/work.h"

namespace redqueen::data_sets {

using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational_backend,
                                               boost::multiprecision::et_off>;

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// A node. Immutable, shared freely.
struct Expression {
  enum class Kind {
    kNumber,    // value
    kSymbol,    // name: a letter with its subscript, as it was written
    kConstant,  // name: "pi", "e", "i", "infinity"
    kSum,       // parts
    kProduct,   // parts
    kPower,     // parts[0] to the parts[1]
    kFunction,  // name of parts: "sqrt", "sin", "log" (base parts[1]), "factorial", …
  };
  Kind kind = Kind::kNumber;
  Rational value = 0;
  std::string name = {};
  std::vector<ExpressionPtr> parts = {};
};

ExpressionPtr number(Rational value);
ExpressionPtr symbol(std::string name);
ExpressionPtr constant(std::string name);
ExpressionPtr sum(std::vector<ExpressionPtr> parts);
ExpressionPtr product(std::vector<ExpressionPtr> parts);
ExpressionPtr power(ExpressionPtr base, ExpressionPtr exponent);
ExpressionPtr function(std::string name, std::vector<ExpressionPtr> parts);
ExpressionPtr negated(ExpressionPtr value);
ExpressionPtr quotient(ExpressionPtr above, ExpressionPtr below);

// The three below stop, undecided, once the work is exhausted, and note in it what decided.

// True if the two are equal. Rational numbers of up to 16,384 bits are compared exactly, larger
// ones and rational functions modulo three primes, all else in interval arithmetic
// (math_interval.h), with symbols at eight points, some of them negative (so √(x²) is not x).
// Primes and points are chosen by the two expressions. False where nothing can be decided.
bool same_value(const Expression& a, const Expression& b, Work& work);

// The sign of the constant c with a = c·b wherever both are defined; kNone if there is none.
enum class Proportion { kNone, kPositive, kNegative };
Proportion proportion(const Expression& a, const Expression& b, Work& work);

// −1, 0, 1 for real a < b, a = b, a > b; 2 where that cannot be said. ±infinity is a value here.
int compare(const Expression& a, const Expression& b, Work& work);

// True if a symbol occurs in it.
bool has_symbols(const Expression& expression);

}  // namespace redqueen::data_sets
