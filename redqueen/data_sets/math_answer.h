// Reads final answers of mathematics problems, in LaTeX or in plain text, and compares two of them.
//
// Equality is decided exactly: 0.5, 1/2, \frac{1}{2} and 50\% are equal; 0.33 and 1/3 are not. It
// reads numbers (thousands separators, mixed numbers, percent, units, money), expressions
// (fractions, roots, powers, logarithms, trigonometry, π, e, i, factorials, binomials, absolute
// values), intervals and unions, tuples, sets and lists, matrices, equations and inequalities, and
// words. Any bytes may stand in a text; time is linear in its length, but for numbers themselves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace redqueen::data_sets {

struct MathValue;

// An answer that was read. Immutable; copies share what they hold.
class MathAnswer {
 public:
  // Never fails: what is no mathematics is words. Longer text than kMaxMathBytes is words, too.
  static MathAnswer parse(std::string_view text);

  // True if there is nothing in it.
  bool empty() const;

  // True if `given`, an answer to a problem, says what this one, its reference, says. Beyond plain
  // equality: "x = 5" stands for 5; a list without brackets has no order; a unit, percent or
  // currency may be left out, but not be another one; inequalities stand for their intervals.
  bool accepts(const MathAnswer& given) const;

 private:
  std::shared_ptr<const MathValue> value_;
};

inline constexpr std::size_t kMaxMathBytes = 4096;

// The last \boxed{…} (or \fbox) of a text, braces balanced; else the text itself.
std::string_view unboxed(std::string_view text);

}  // namespace redqueen::data_sets
