// Rewrites an answer in Markdown or LaTeX, or in another notation, as plain text.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/card.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// The text that the strict reader gets in place of `answer`; nullopt if `answer` is plain already
// or has no markup that is known here. `kind` is what the environment asks for:
//
//   every kind            bold, code marks, quotes, dollar signs, \( \), \[ \], \boxed{}, \text{}
//   numbers, lists,       a final full stop
//   choices, expressions
//   one number            "Answer: 5", "The answer is 5", "x = 5" (one letter), a minus sign in
//                         Unicode, a unit of one word behind: "5 apples", "5\text{ cm}"
//   one choice            "Answer: yes", "The answer is yes"
//   integer               separators between groups of three digits: 1,000 or 1{,}000 or 1\,000 or
//                         1\!,000; a decimal point with zeros behind: 73.0
//   real number           the same with commas, if a decimal point follows
//   fraction              \frac{1}{2}, \dfrac{1}{2}, \tfrac{1}{2}
//   list                  [1, 2], (1, 2), {1, 2}, 1, 2, 1; 2; a matrix of LaTeX with one row or one
//                         column
//   pairs, matrix         the same a row: [[1, 2], [3, 4]], (1, 2), (3, 4), or 1, 2 a line;
//                         1 2; 3 4; matrices of LaTeX (pmatrix, array …)
//   expression            × · ÷ − \times \cdot \div \left \right; "F'(x) = …"
//
// A text that could mean two things stays as it is: "1 000" may be two numbers, "half = 5" names a
// part, "5 dozen" is 60. Linear in the text, which may hold anything.
std::optional<std::string> plain_form(std::string_view answer, AnswerKind kind);

// All forms in which the tolerant reading has an answer scored that is not right as it stands.
struct OtherForms {
  std::vector<std::string> list;
  bool first_is_plain = false;  // it is the plain form, in place of the answer itself
};

// The plain form, and besides:
//
//   one choice            the word in small letters, in capitals, and with one capital
//   text                  letters with blanks between, without the blanks: "R R D" for RRD
OtherForms other_forms(std::string_view answer, AnswerKind kind);

// The verdict of the tolerant reading. The plain form, where it is well formed, stands for the
// answer; another form counts where it earns more. `verdicts` are those of `forms.list`.
Verdict best_verdict(const Verdict& strict, const OtherForms& forms,
                     std::span<const Verdict> verdicts);

}  // namespace redqueen
