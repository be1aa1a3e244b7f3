// Rewrites an answer in Markdown or LaTeX as plain text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "redqueen/core/card.h"

namespace redqueen {

// The text that the strict reader gets in place of `answer`; nullopt if `answer` is plain already
// or has no markup that is known here. `kind` is what the environment asks for:
//
//   every kind            bold, code marks, quotes, dollar signs, \( \), \[ \], \boxed{}, \text{}
//   numbers, lists,       a final full stop
//   choices, expressions
//   one number            "Answer: 5", "x = 5" (one letter), a minus sign in Unicode
//   one choice            "Answer: yes"
//   integer               separators between groups of three digits: 1,000 or 1{,}000 or 1\,000
//   real number           the same with commas, if a decimal point follows
//   fraction              \frac{1}{2}, \dfrac{1}{2}, \tfrac{1}{2}
//   list                  [1, 2], (1, 2), {1, 2}, 1, 2, 1; 2
//   pairs, matrix         the same a row: [[1, 2], [3, 4]], (1, 2), (3, 4), or 1, 2 a line
//
// A text that could mean two things stays as it is: "1 000" may be two numbers, "half = 5" names a
// part. Linear in the text, which may hold anything.
std::optional<std::string> plain_form(std::string_view answer, AnswerKind kind);

}  // namespace redqueen
