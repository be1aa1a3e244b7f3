// Expressions in interval arithmetic of growing precision.
#pragma once

#include <map>
#include <string>

#include "redqueen/data_sets/math_expression.h"

namespace redqueen::data_sets {

// Maps symbols to the numbers they stand for.
using MathPoint = std::map<std::string, Rational>;

enum class Domain {
  kReal,     // square roots and logarithms of negative numbers have no value; odd roots do
  kComplex,  // all have their principal value, but for \sqrt[n] of real numbers with n odd
};

enum class IntervalRelation {
  kEqual,           // closer than two different values of such expressions can be
  kDifferent,       // their intervals exclude each other
  kOneIsUndefined,  // exactly one has no value
  kBothUndefined,
  kUndecided,  // more precision or work would be needed than there is
};

// Compares the values at a point. Equality: algebraic numbers that differ do so by an amount that
// their form bounds from below (Burnikel, Funke, Mehlhorn, Schirra and Schmitt 2001), and they are
// equal if the intervals show them closer than that. Where e, π and transcendental functions occur,
// the same bound is taken, with the sizes of what goes into the functions: that is not proven, but
// no exception of such a size is known.
IntervalRelation compare_intervals(const Expression& a, const Expression& b, const MathPoint& point,
                                   Domain domain, Work& work);

// −1 or 1: the sign of a real value that is not 0. 0: it is 0, not real, or cannot be told.
int interval_sign(const Expression& e, const MathPoint& point, Work& work);

}  // namespace redqueen::data_sets
