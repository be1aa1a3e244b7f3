// Tasks of calculus: random functions with their derivatives, and the form in which an answer is
// written and read.
#pragma once

#include <string_view>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/expression/expression.h"

namespace redqueen {

// A tree of `nodes` nodes over x, as the published environments build it: one node is x; else one
// operation on a tree of nodes − 1 nodes (sin, cos, exp, log, a power or root, adding, multiplying
// or dividing by a small number), or, with equal chance from 3 nodes on, two trees joined by + − *
// / **. 1 ≤ nodes ≤ 1000.
Expression random_expression(int nodes, Rng& rng);

struct FunctionWithDerivative {
  Expression function;    // simplified
  Expression derivative;  // simplified
};

// A random function for a task: no longer than 1000 operations, nor its derivative, which depends
// on x; both defined at half of [−2, 2] or more; the derivative within ±10^4 there. Throws Retry
// where a draw is none of these, or has less than half as many operations as nodes once it is
// simplified.
FunctionWithDerivative random_function(int nodes, Rng& rng);

// The share of [−2, 2] on which f has a value.
double defined_share(const Expression& f);

// The prompt's sentence on the form of the answer.
inline constexpr std::string_view kExpressionForm =
    "one expression in SymPy notation: the variable x, exact numbers, pi, E, + - * / **, "
    "parentheses, and functions "
    "such as sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log (natural), sqrt, Abs. "
    "Write every "
    "multiplication with *; a decimal counts as exactly the fraction that it spells.";

}  // namespace redqueen
