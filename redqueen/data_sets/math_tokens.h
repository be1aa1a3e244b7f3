// The tokens of mathematics in LaTeX or plain text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redqueen::data_sets {

struct MathToken {
  enum class Kind {
    kNumber,   // digits, perhaps with a point
    kWord,     // letters: "x", "sin", "cm"
    kCommand,  // \name, without the backslash: "frac", "{", "%"
    kText,     // the content of \text{…}, \mathrm{…} and their like
    kSign,     // any other character: + - * / ^ _ ( ) [ ] { } | , ; = < > ! % & '
  };
  Kind kind = Kind::kSign;
  std::string text;
  bool space = false;  // white space stands before it
  bool operator==(const MathToken&) const = default;
};

// Splits a formula into tokens and drops those of layout alone: $ signs, \left, \right, spacing,
// \displaystyle. Unicode forms become their LaTeX ones: letters, operators, brackets, spaces,
// fractions, raised and lowered digits, digits of other scripts. 7.25e6 becomes {7.25*10^{6}}.
std::vector<MathToken> tokenize_math(std::string_view text);

}  // namespace redqueen::data_sets
