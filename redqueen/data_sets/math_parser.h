// Reads one expression out of tokens.
#pragma once

#include <span>

#include "redqueen/data_sets/math_expression.h"
#include "redqueen/data_sets/math_tokens.h"

namespace redqueen::data_sets {

// The expression that all tokens make, by the usual precedence; factors may stand side by side.
// nullptr: they make none, or nest more than 100 deep.
ExpressionPtr parse_expression(std::span<const MathToken> tokens);

// The number of a token: "1.25".
Rational number_of(const MathToken& token);

// True if the word names a function or a constant: "sin", "sqrt", "pi".
bool is_mathematical_word(std::string_view word);

}  // namespace redqueen::data_sets
