// Reads final answers of mathematics problems, in LaTeX or in plain text, and compares two of them.
//
// Equality is decided exactly: 0.5, 1/2, \frac{1}{2} and 50\% are equal; 0.33 and 1/3 are not. It
// reads numbers (thousands separators, mixed numbers, percent, units, money), expressions
// (fractions, roots, powers, logarithms, trigonometry, π, e, i, factorials, binomials, absolute
// values), intervals and unions, tuples, sets and lists, matrices, equations and inequalities, and
// words. Any bytes may stand in a text. The work of a comparison is bounded (work.h), and the size
// of every number before it is computed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/data_sets/math_expression.h"

namespace redqueen::data_sets {

struct MathValue;

struct MathComparison {
  bool equal = false;
  bool exhausted = false;  // comparing them takes more work than a verdict may (work.h); not equal
  bool undecided = false;  // two values could be told neither equal nor different; not equal
  Ground ground = Ground::kText;
  std::uint64_t work = 0;  // in the units of work.h
};

// An answer that was read. Immutable; copies share what they hold.
class MathAnswer {
 public:
  // Never fails: what is no mathematics is words. Longer text than kMaxMathBytes is words, too.
  static MathAnswer parse(std::string_view text);

  // True if there is nothing in it.
  bool empty() const;

  // Whether `given`, an answer to a problem, says what this one, its reference, says. The same
  // notation does, even where its value cannot be told from others. Beyond plain
  // equality: "x = 5" stands for 5; a list without brackets has no order; a unit, percent or
  // currency may be left out, but not be another one; inequalities stand for their intervals.
  MathComparison compare(const MathAnswer& given) const;
  bool accepts(const MathAnswer& given) const { return compare(given).equal; }

  // True if both are real numbers, or lists of as many, without symbols, and each of `given` is
  // within `absolute`, or `relative` times this one's size, of its counterpart. False where that
  // takes more work than a verdict may.
  bool is_near(const MathAnswer& given, const Rational& absolute, const Rational& relative) const;

  // The number where it is written out, whatever its unit: 18, −1/2, 1,234.5, 7.25e6, "$18", "18
  // dollars". nullopt of anything that would have to be computed.
  std::optional<Rational> number() const;

 private:
  std::shared_ptr<const MathValue> value_;
  std::string notation_;  // its tokens; those of two texts agree if only their layout differs
};

inline constexpr std::size_t kMaxMathBytes = 4096;

// The last \boxed{…} (or \fbox) of a text, braces balanced; else the text itself.
std::string_view unboxed(std::string_view text);

}  // namespace redqueen::data_sets
