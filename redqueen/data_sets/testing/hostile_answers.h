// Answers that are written to keep a verifier busy: short, and worth much work to whoever computes
// first and looks at the size afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redqueen::data_sets {

inline constexpr std::array<std::string_view, 34> kHostileAnswers{
    "(500!)^{512}",
    "(2000!)^{512}",
    "((2000!)^{512})^{512}",
    "1/(2000!)^{512}-1/(1999!)^{512}",
    "9^{9^{9^{9^9}}}",
    "9^{9^{9^{9^9}}}!",
    "9**9**9**9**9",
    "5^{5^{5^{5^5}}}-5^{5^{5^{5^5}}}",
    "2^{-99999999999999999999}",
    "10^{10^{100000}}",
    "1e999999999",
    "1.5e-999999999",
    "1000000!",
    "10^{18}!",
    "((((9!)!)!)!)!",
    "3!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!",
    "\\binom{10^9}{5\\cdot10^8}",
    "\\binom{2000}{1000}^{2000}",
    "\\sqrt{(2000!)^{512}}",
    "\\sqrt[10^{9}]{2}",
    "\\sqrt[99999999999999999999]{99999999999999999999}",
    "\\sin(10^{10^{10}})",
    "\\tan(10^{10^{10^{10}}})",
    "e^{e^{e^{e^{e^e}}}}",
    "\\ln(\\ln(\\ln(\\ln(9^{9^{9^9}}))))",
    "\\lfloor 10^{100000}\\pi\\rfloor",
    "\\lfloor e^{e^{e^{e}}}\\rfloor",
    "(x+1)^{512}(x+2)^{512}(x+3)^{512}",
    "x^{x^{x^{x^{x^x}}}}",
    "(1+x)^{10^{18}}",
    "(\\sqrt2+\\sqrt3+\\sqrt5+\\sqrt7+\\sqrt{11}+\\sqrt{13}+\\sqrt{17}+\\sqrt{19})^{512}",
    "2^{1000000007}-2^{1000000007}",
    "\\frac{2^{100000}}{3^{100000}}+\\frac{5^{100000}}{7^{100000}}",
    "i^{i^{i^{i^{i^i}}}}",
};

// Pieces of which such answers, and random ones, are made.
inline constexpr std::array<std::string_view, 64> kAnswerPieces{
    "1",
    "2",
    "9",
    "17",
    "2000",
    "99999999",
    "0",
    "0.5",
    "x",
    "y",
    "e",
    "i",
    "\\pi ",
    "\\infty",
    "+",
    "-",
    "*",
    "/",
    "^",
    "!",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "\\{",
    "\\}",
    ",",
    "=",
    "<",
    "|",
    "^{512}",
    "^{2000}",
    "!)^{",
    "^9",
    "**",
    "\\frac",
    "\\frac{",
    "}{",
    "\\sqrt",
    "\\sqrt[",
    "\\binom{",
    "\\sin",
    "\\ln ",
    "\\log_",
    "\\tan ",
    "\\exp ",
    "\\lfloor ",
    "\\rfloor ",
    "\\pm ",
    "\\cup ",
    "\\text{cm}",
    "\\%",
    "^\\circ",
    "\\cdot ",
    "\\begin{pmatrix}",
    "\\end{pmatrix}",
    "&",
    "\\\\",
    " or ",
    "e5",
    "\\arcsin ",
    "\\le ",
};

// An answer of which each byte chooses a piece.
inline std::string answer_of_pieces(std::span<const unsigned char> choices) {
  std::string answer;
  for (const unsigned char choice : choices) answer += kAnswerPieces[choice % kAnswerPieces.size()];
  return answer;
}

// Long answers: many terms, items, powers or brackets.
inline std::vector<std::string> long_hostile_answers() {
  const auto repeated = [](std::string_view piece, std::size_t bytes) {
    std::string text;
    while (text.size() + piece.size() < bytes) text += piece;
    return text;
  };
  std::vector<std::string> answers;
  for (const std::string_view piece : {"x^{512}+",
                                       "(x+1)^{2000}",
                                       "\\sqrt2+",
                                       "\\sqrt x+",
                                       "\\sin x\\cos x+",
                                       "2000!+",
                                       "(2000!)^{512}+",
                                       "9^{9^{9^9}}+",
                                       "e^{x}+",
                                       "\\sqrt{x+",
                                       "(((",
                                       "\\frac{1}{1+",
                                       "2^{",
                                       "x,",
                                       "\\sqrt x,",
                                       "\\pi^e,",
                                       "1/3,",
                                       "\\pm 1,",
                                       "\\ln x!",
                                       "1/97+",
                                       "17^{-13}+",
                                       "\\lfloor\\pi x\\rfloor+",
                                       "\\arcsin x+",
                                       "\\sqrt[7]{x+2}+",
                                       "99999999"}) {
    answers.push_back(repeated(piece, 4000) + "1");
    answers.push_back(repeated(piece, 400) + "1");
  }
  answers.push_back(std::string(4000, '9'));
  answers.push_back("0." + std::string(4000, '3'));
  answers.push_back(std::string(1300, '9') + "/" + std::string(1300, '7') + "+" +
                    std::string(1300, '3') + "/7");
  return answers;
}

}  // namespace redqueen::data_sets
