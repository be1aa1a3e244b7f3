// Answers that are long, deep or huge: those of a policy that repeats itself, or that is out to
// keep a verifier busy.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/environment.h"

namespace redqueen {

// `piece` again and again, `bytes` in all.
inline std::string repeated(std::string_view piece, std::size_t bytes) {
  std::string text;
  if (piece.empty()) return text;
  text.reserve(bytes + piece.size());
  while (text.size() < bytes) text += piece;
  text.resize(bytes);
  return text;
}

// The integers from `first` on, each behind `separator`, about `bytes` in all.
inline std::string counting(std::int64_t first, std::string_view separator, std::size_t bytes) {
  std::string text;
  for (std::int64_t i = first; text.size() < bytes; ++i) {
    text += std::to_string(i);
    text += separator;
  }
  return text;
}

// `inside` within as many brackets as `bytes` hold.
inline std::string nested(std::string_view open, std::string_view inside, std::string_view close,
                          std::size_t bytes) {
  const std::size_t depth = (bytes - std::min(bytes, inside.size())) / (open.size() + close.size());
  return repeated(open, depth * open.size()) + std::string(inside) +
         repeated(close, depth * close.size());
}

// The text with every run of digits replaced.
inline std::string with_numbers(std::string_view text, std::string_view number, std::size_t bytes) {
  std::string changed;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) changed += c;
    if (digit && !in_number) changed += number;
    in_number = digit;
    if (changed.size() > bytes) break;
  }
  return changed;
}

// Words of `words`, drawn at random.
inline std::string drawn(const std::vector<std::string>& words, std::string_view separator,
                         Rng& rng, std::size_t bytes) {
  std::string text;
  if (words.empty()) return text;
  while (text.size() < bytes) {
    text += words[rng.below(words.size())];
    text += separator;
  }
  return text;
}

struct HostileAnswer {
  std::string name;
  std::string text;
};

// Answers of up to `bytes` bytes that no problem asks for.
inline std::vector<HostileAnswer> general_answers(std::size_t bytes) {
  std::vector<HostileAnswer> list;
  for (const std::string_view piece : {"9",
                                       "1 ",
                                       "0 ",
                                       "2 ",
                                       "-1 ",
                                       "1\n",
                                       "1 2\n",
                                       "0 1\n",
                                       "2 1\n",
                                       "1 1 1\n",
                                       "0 0 0\n",
                                       "1 2 3 4\n",
                                       "1,",
                                       "1, ",
                                       "(",
                                       "[",
                                       "{",
                                       "[[",
                                       "((",
                                       "-",
                                       "+",
                                       "~",
                                       "!",
                                       "1+",
                                       "1-",
                                       "x+",
                                       "x*",
                                       "1*",
                                       "2*",
                                       "x**",
                                       "9**",
                                       "9^",
                                       "2^",
                                       "1/",
                                       "1/3+",
                                       "0.1 ",
                                       "1e308 ",
                                       "1e-308 ",
                                       "9223372036854775807 ",
                                       "-9223372036854775808\n",
                                       "a",
                                       "ab",
                                       "a b ",
                                       "AB\n",
                                       "LRUD",
                                       "L R U D ",
                                       "RRRD\n",
                                       "()",
                                       "01",
                                       "0",
                                       "1",
                                       ".",
                                       "#",
                                       "#.\n",
                                       "\n",
                                       " ",
                                       "\\frac{1}{2}",
                                       "\\boxed{",
                                       "$",
                                       "*",
                                       "`",
                                       "sin(",
                                       "(x+1)*",
                                       "(x+y)**9*",
                                       "Yes ",
                                       "No\n",
                                       "x1 ",
                                       "a=1\n",
                                       "A->B\n",
                                       "1:2 ",
                                       "1-2 ",
                                       "+1 -1 ",
                                       "(1, 2), ",
                                       "[1, 2], ",
                                       "1;2;",
                                       "->",
                                       "=",
                                       "1=1\n",
                                       "s t\n",
                                       "\xe2\x88\x92",
                                       "\\left",
                                       "\\text{",
                                       "\\!,",
                                       "\\\\",
                                       "1&",
                                       "&"}) {
    list.push_back({std::string("repeated ") + std::string(piece), repeated(piece, bytes)});
  }
  for (const std::size_t digits : {std::size_t{20}, std::size_t{100}, std::size_t{4299}}) {
    for (const std::string_view separator : {" ", "\n", "*", "+", "/", "**", ","}) {
      list.push_back({"digits " + std::to_string(digits) + std::string(separator),
                      repeated(std::string(digits, '7') + std::string(separator), bytes)});
    }
  }
  for (const std::string_view separator : {" ", "\n", ",", "+", "*", "**"}) {
    list.push_back({"counting 0" + std::string(separator), counting(0, separator, bytes)});
    list.push_back({"counting 1" + std::string(separator), counting(1, separator, bytes)});
  }
  for (const auto& [open, inside, close] : {std::array<std::string_view, 3>{"(", "1", ")"},
                                            {"(", "x", ")"},
                                            {"[", "1", "]"},
                                            {"{", "1", "}"},
                                            {"-(", "x", ")"},
                                            {"(x+", "1", ")"},
                                            {"(1/", "x", ")"},
                                            {"x**(", "2", ")"},
                                            {"2**(", "2", ")"},
                                            {"(1+x)*(", "x", ")"},
                                            {"((", "1", ")+1)"},
                                            {"(", "1", "+1)*2"},
                                            {"(", "x", "*x)"},
                                            {"(", "x", ")**2"},
                                            {"sin(", "x", ")"},
                                            {"exp(", "x", ")"},
                                            {"\\frac{1}{", "2", "}"},
                                            {"\\boxed{", "1", "}"},
                                            {"<answer>", "1", "</answer>"},
                                            {"**", "1", "**"},
                                            {"\\begin{pmatrix}", "1", "\\end{pmatrix}"},
                                            {"\\left(", "1", "\\right)"}}) {
    list.push_back({"nested " + std::string(open), nested(open, inside, close, bytes)});
  }
  for (const std::string_view text :
       {"9**9**9", "9**9**9**9", "x**999999999", "(x+1)**1000", "(x+1)**999999", "2**4000000",
        "(x+y)**200*(x-y)**200", "(1+x+x**2+x**3)**500", "x**-999999999", "1/0", "1/(1-1)",
        "99999999999999999999!", "10**(10**10)", "(x+1)**(x+1)**9", "1e999999999", "1e-999999999",
        "1e4000 1e4000"}) {
    list.push_back({std::string(text), std::string(text)});
  }
  return list;
}

// Answers of up to `bytes` bytes made of what the problem itself says.
inline std::vector<HostileAnswer> answers_to(const Problem& problem, Rng& rng, std::size_t bytes) {
  std::vector<HostileAnswer> list;
  const std::string reference = problem.reference();
  std::vector<std::string> sources{reference, problem.random_answer(rng)};
  if (!problem.example().empty()) sources.push_back(problem.example());
  for (const std::string& source : sources) {
    for (const std::string_view separator : {" ", "\n", "", ",", "+", "*"}) {
      list.push_back(
          {"again" + std::string(separator), repeated(source + std::string(separator), bytes)});
    }
    list.push_back({"padded", source + std::string(bytes - std::min(bytes, source.size()), ' ')});
    list.push_back(
        {"padded before", std::string(bytes - std::min(bytes, source.size()), '\n') + source});
    list.push_back({"zeros", with_numbers(source, std::string(4000, '0') + "1", bytes)});
    for (const std::string_view number : {"9223372036854775807", "99999999", "1000000", "0"}) {
      list.push_back({"numbers", with_numbers(source, number, bytes)});
    }
    list.push_back({"large numbers", with_numbers(source, std::string(4299, '9'), bytes)});
    std::vector<std::string> words;
    std::vector<std::string> characters;
    std::vector<std::string> lines;
    for (const std::string_view word : split_words(source)) words.emplace_back(word);
    for (const std::string_view line : split_lines(source)) lines.emplace_back(line);
    for (const char c : source) characters.emplace_back(1, c);
    for (const std::string_view separator : {" ", "\n", ""}) {
      list.push_back({"words", drawn(words, separator, rng, bytes)});
    }
    list.push_back({"lines", drawn(lines, "\n", rng, bytes)});
    list.push_back({"characters", drawn(characters, "", rng, bytes)});
    // Lines of random many words.
    std::string ragged;
    while (ragged.size() < bytes && !words.empty()) {
      ragged += words[rng.below(words.size())];
      ragged += rng.chance(0.3) ? '\n' : ' ';
    }
    list.push_back({"ragged", ragged});
  }
  std::vector<std::string> told;
  for (const std::string_view word : split_words(problem.prompt())) told.emplace_back(word);
  list.push_back({"prompt's words", drawn(told, " ", rng, bytes)});
  std::string noise(bytes, ' ');
  for (char& c : noise) c = static_cast<char>(rng.below(256));
  list.push_back({"noise", noise});
  return list;
}

}  // namespace redqueen
