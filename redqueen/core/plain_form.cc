#include "redqueen/core/plain_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>
#include <vector>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"

namespace redqueen {
namespace {

constexpr std::string_view kUnicodeMinus = "\xe2\x88\x92";

// Layers of clothes that are taken off: more are none that anyone wears.
constexpr int kMostLayers = 8;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// True, and the prefix removed, if `text` begins with it; upper and lower case are alike.
bool take(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    if (ascii_lower(text[i]) != prefix[i]) return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

// Returns the text between `open` and `close`, if they stand at the two ends and nowhere else.
std::optional<std::string_view> between(std::string_view text, std::string_view open,
                                        std::string_view close) {
  if (text.size() <= open.size() + close.size()) return std::nullopt;
  if (!text.starts_with(open) || !text.ends_with(close)) return std::nullopt;
  const std::string_view inside =
      text.substr(open.size(), text.size() - open.size() - close.size());
  if (inside.find(open) != std::string_view::npos) return std::nullopt;
  if (inside.find(close) != std::string_view::npos) return std::nullopt;
  return inside;
}

// The index of the bracket that closes the one at `begin`, or npos. A backslash makes a brace text.
std::size_t closing_brace(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}' && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

// The argument of a LaTeX command that is all of `text`.
std::optional<std::string_view> argument_of(std::string_view text, std::string_view command) {
  if (!text.starts_with(command) || text.size() <= command.size()) return std::nullopt;
  if (text[command.size()] != '{') return std::nullopt;
  if (closing_brace(text, command.size()) != text.size() - 1) return std::nullopt;
  return text.substr(command.size() + 1, text.size() - command.size() - 2);
}

// The inside of a fenced block of code, without the name of a language.
std::optional<std::string_view> fenced(std::string_view text) {
  auto inside = between(text, "```", "```");
  if (!inside) return std::nullopt;
  if (const std::size_t end = inside->find('\n'); end != std::string_view::npos) {
    const std::string_view language = trim(inside->substr(0, end));
    if (std::ranges::all_of(language, is_letter)) inside->remove_prefix(end);
  }
  return inside;
}

// One layer of marks around all of `text`, taken off.
std::optional<std::string_view> unwrap(std::string_view text) {
  if (auto inside = fenced(text)) return inside;
  // Powers hold two stars as well, but neither end of an expression does.
  if (text.size() > 4 && text.starts_with("**") && text.ends_with("**")) {
    return text.substr(2, text.size() - 4);
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kMarks{{{"__", "__"},
                                                                                 {"$$", "$$"},
                                                                                 {"$", "$"},
                                                                                 {"\\(", "\\)"},
                                                                                 {"\\[", "\\]"},
                                                                                 {"`", "`"},
                                                                                 {"\"", "\""}}};
  for (const auto& [open, close] : kMarks) {
    if (auto inside = between(text, open, close)) return inside;
  }
  for (const std::string_view command : {"\\boxed", "\\fbox", "\\text", "\\textrm", "\\mathrm",
                                         "\\mathbf", "\\textbf", "\\texttt", "\\emph"}) {
    if (auto inside = argument_of(text, command)) return inside;
  }
  return std::nullopt;
}

bool is_one_number(AnswerKind kind) {
  return kind == AnswerKind::kInteger || kind == AnswerKind::kReal || kind == AnswerKind::kFraction;
}

bool may_end_in_a_stop(AnswerKind kind) {
  return kind != AnswerKind::kString && kind != AnswerKind::kOther && kind != AnswerKind::kTurns;
}

// "60." without its full stop; not "...", nor "2 ." of a grid.
std::optional<std::string_view> without_stop(std::string_view text) {
  if (text.size() < 2 || text.back() != '.') return std::nullopt;
  const char before = text[text.size() - 2];
  const bool ends_a_word = is_ascii_digit(before) || is_letter(before) ||
                           std::string_view(")]}*$`\"").find(before) != std::string_view::npos;
  if (!ends_a_word) return std::nullopt;
  return text.substr(0, text.size() - 1);
}

// Returns the text after "Answer:" or "The answer is".
std::optional<std::string_view> after_answer_label(std::string_view text) {
  const bool bold = take(text, "**");
  take(text, "the ");
  take(text, "final ");
  if (!take(text, "answer")) return std::nullopt;
  bool closed = bold && take(text, "**");
  if (!bold && take(text, " is ")) return text;
  text = trim(text);
  if (!take(text, ":")) return std::nullopt;
  closed = closed || (bold && take(text, "**"));
  if (bold != closed) return std::nullopt;
  return text;
}

// Returns the text after "x =": a letter, perhaps with an index, and the only equals sign.
std::optional<std::string_view> after_variable(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return std::nullopt;
  text.remove_prefix(1);
  if (take(text, "_")) {
    while (!text.empty() && is_ascii_digit(text[0])) text.remove_prefix(1);
  }
  text = trim(text);
  if (!take(text, "=") || text.find('=') != std::string_view::npos) return std::nullopt;
  return text;
}

// Returns the text after "F'(x) =" or "F' =": a function, or its derivative.
std::optional<std::string_view> after_function(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return std::nullopt;
  text.remove_prefix(1);
  bool is_function = false;
  while (take(text, "'")) is_function = true;
  if (take(text, "(")) {
    is_function = true;
    if (text.empty() || !is_letter(text[0])) return std::nullopt;
    text.remove_prefix(1);
    if (!take(text, ")")) return std::nullopt;
  }
  text = trim(text);
  if (!is_function || !take(text, "=") || text.find('=') != std::string_view::npos)
    return std::nullopt;
  return text;
}

// A word that names what was counted or measured, and does not change the number before it.
bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 41> kNoUnits{
      "and",      "billion",   "billions",   "cubed",  "divided",  "dozen",    "dozens",
      "eighths",  "factorial", "fewer",      "fifths", "fourths",  "half",     "halves",
      "hundred",  "hundreds",  "hundredths", "less",   "million",  "millions", "minus",
      "mod",      "modulo",    "more",       "not",    "or",       "over",     "percent",
      "plus",     "quarters",  "score",      "sixths", "squared",  "tenths",   "thirds",
      "thousand", "thousands", "times",      "to",     "trillion", "trillions"};
  if (word.size() < 2 || !std::ranges::all_of(word, is_letter)) return false;
  const std::string small = ascii_lower(word);
  return std::ranges::find(kNoUnits, small) == kNoUnits.end();
}

// "73 pairs" or "73\\text{ pairs}" without the unit: one word behind a number.
std::optional<std::string_view> without_unit(std::string_view text) {
  for (const std::string_view command : {"\\text{", "\\mathrm{", "\\textrm{"}) {
    const std::size_t at = text.rfind(command);
    if (at == 0 || at == std::string_view::npos || !text.ends_with('}')) continue;
    const std::size_t begin = at + command.size();
    if (!is_unit(trim(text.substr(begin, text.size() - 1 - begin)))) return std::nullopt;
    std::string_view number = trim(text.substr(0, at));
    if (number.ends_with("\\,") || number.ends_with("\\ ")) number.remove_suffix(2);
    if (number.empty()) return std::nullopt;
    const bool ends = is_ascii_digit(number.back()) || number.back() == '}';
    return ends ? std::optional(number) : std::nullopt;
  }
  const std::size_t blank = text.rfind(' ');
  if (blank == 0 || blank == std::string_view::npos || !is_ascii_digit(text[blank - 1]))
    return std::nullopt;
  if (!is_unit(text.substr(blank + 1))) return std::nullopt;
  return text.substr(0, blank);
}

std::optional<std::string_view> without_label(std::string_view text, AnswerKind kind) {
  if (kind == AnswerKind::kExpression) return after_function(text);
  if (!is_one_number(kind) && kind != AnswerKind::kChoice) return std::nullopt;
  if (auto value = after_answer_label(text)) return value;
  return is_one_number(kind) ? after_variable(text) : std::nullopt;
}

// Without marks, stop and label, each as often as it is worn.
std::string_view undressed(std::string_view text, AnswerKind kind) {
  text = trim(text);
  for (int layer = 0; layer < kMostLayers; ++layer) {
    auto inside = unwrap(text);
    if (!inside && may_end_in_a_stop(kind)) inside = without_stop(text);
    if (!inside) inside = without_label(text, kind);
    if (!inside && is_one_number(kind)) inside = without_unit(text);
    if (!inside || trim(*inside).empty()) break;
    text = trim(*inside);
  }
  return text;
}

struct Replacement {
  std::string_view from;
  std::string_view to;
};

// The text with the first that fits of `replacements` made at every place.
std::string replaced(std::string_view text, std::span<const Replacement> replacements) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto fits = std::ranges::find_if(replacements, [&](const Replacement& replacement) {
      return text[i] == replacement.from[0] && text.substr(i).starts_with(replacement.from);
    });
    if (fits == replacements.end()) {
      plain += text[i++];
    } else {
      plain += fits->to;
      i += fits->from.size();
    }
  }
  return plain;
}

// Minus signs of Unicode as ASCII has it.
std::string with_plain_minus(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, kUnicodeMinus.size()) == kUnicodeMinus) {
      plain += '-';
      i += kUnicodeMinus.size();
    } else {
      plain += text[i++];
    }
  }
  return plain;
}

// The digits of "1,234,567" and the like, if every group but the first has three; otherwise the
// text as it is. The same separator throughout.
std::string without_separators(const std::string& text,
                               std::initializer_list<std::string_view> separators) {
  std::string_view rest = text;
  std::string digits;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) {
    digits += rest[0];
    rest.remove_prefix(1);
  }
  const auto group = [&rest] {
    std::size_t length = 0;
    while (length < rest.size() && is_ascii_digit(rest[length])) ++length;
    const std::string_view found = rest.substr(0, length);
    rest.remove_prefix(length);
    return found;
  };
  const std::string_view first = group();
  if (first.empty() || first.size() > 3 || first[0] == '0') return text;
  digits += first;
  const auto used = std::ranges::find_if(
      separators, [&](std::string_view separator) { return rest.starts_with(separator); });
  if (used == separators.end()) return text;
  while (!rest.empty()) {
    if (!rest.starts_with(*used)) return text;
    rest.remove_prefix(used->size());
    const std::string_view next = group();
    if (next.size() != 3) return text;
    digits += next;
  }
  return digits;
}

// "73" of "73.0".
std::string_view without_zeros(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return text;
  std::string_view whole = text.substr(0, point);
  if (whole.starts_with('-') || whole.starts_with('+')) whole.remove_prefix(1);
  if (whole.empty() || !std::ranges::all_of(whole, is_ascii_digit)) return text;
  const std::string_view zeros = text.substr(point + 1);
  if (zeros.empty() || zeros.find_first_not_of('0') != std::string_view::npos) return text;
  return text.substr(0, point);
}

std::string plain_integer(std::string_view text) {
  // LaTeX's space backwards stands before or behind a comma.
  constexpr std::array kBackwards{Replacement{"\\!,\\!", ","}, Replacement{"\\!,", ","},
                                  Replacement{",\\!", ","}};
  // A comma, the same in LaTeX, LaTeX's thin space, thin space, narrow no-break space, underscore.
  const std::string plain = replaced(with_plain_minus(text), kBackwards);
  return without_separators(std::string(without_zeros(plain)),
                            {",", "{,}", "\\,", "\xe2\x80\x89", "\xe2\x80\xaf", "_"});
}

// "3,141" may be three and a bit: commas part thousands only before a decimal point.
std::string plain_real(std::string_view text) {
  std::string number = with_plain_minus(text);
  const std::size_t point = number.find('.');
  if (point == std::string::npos) return number;
  return without_separators(number.substr(0, point), {","}) + number.substr(point);
}

std::string plain_fraction(std::string_view text) {
  std::string plain = with_plain_minus(text);
  std::string_view rest = plain;
  std::string sign;
  if (rest.starts_with('-')) {
    sign = "-";
    rest.remove_prefix(1);
  }
  if (!take(rest, "\\frac") && !take(rest, "\\dfrac") && !take(rest, "\\tfrac")) return plain;
  if (!rest.starts_with('{')) return plain;
  const std::size_t middle = closing_brace(rest, 0);
  if (middle == std::string_view::npos) return plain;
  const auto denominator = argument_of(rest.substr(middle), "}");
  if (!denominator) return plain;
  return sign + std::string(trim(rest.substr(1, middle - 1))) + "/" +
         std::string(trim(*denominator));
}

struct Bracket {
  std::string_view open;
  std::string_view close;
};
constexpr std::array kBrackets{Bracket{"[", "]"}, Bracket{"(", ")"}, Bracket{"{", "}"},
                               Bracket{"\\{", "\\}"}};

bool holds_brackets(std::string_view text) {
  return text.find_first_of("[](){}") != std::string_view::npos;
}

// "1 2 3" of "1, 2, 3" or "1; 2; 3", without brackets; nullopt if an item is missing or is more
// than a word.
std::optional<std::string> plain_items(std::string_view text) {
  if (holds_brackets(text)) return std::nullopt;
  const bool commas = text.find(',') != std::string_view::npos;
  const bool semicolons = text.find(';') != std::string_view::npos;
  if (commas && semicolons) return std::nullopt;
  std::string plain;
  const auto add = [&plain](std::string_view word) {
    if (!plain.empty()) plain += ' ';
    if (word.front() == kUnicodeMinus.front()) {
      plain += with_plain_minus(word);
    } else {
      plain += word;
    }
  };
  if (!commas && !semicolons) {
    for (const std::string_view word : split_words(text)) add(word);
    return plain;
  }
  const char separator = commas ? ',' : ';';
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const auto words = split_words(text.substr(begin, end - begin));
    if (words.size() != 1) return std::nullopt;
    add(words[0]);
    begin = end + 1;
  }
  return plain;
}

// The inside of brackets around all of `text`; those may hold others.
std::optional<std::string_view> inside_brackets(std::string_view text) {
  for (const auto& [open, close] : kBrackets) {
    if (text.size() < open.size() + close.size()) continue;
    if (text.starts_with(open) && text.ends_with(close))
      return text.substr(open.size(), text.size() - open.size() - close.size());
  }
  return std::nullopt;
}

// "1 2\n3 4" of \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} and its kin; nullopt: it is none.
std::optional<std::string> plain_latex_rows(std::string_view text) {
  constexpr std::string_view kBegin = "\\begin{";
  if (!text.starts_with(kBegin)) return std::nullopt;
  const std::size_t name_end = text.find('}');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::string_view name = text.substr(kBegin.size(), name_end - kBegin.size());
  constexpr std::array<std::string_view, 8> kNames{"array",   "matrix",  "pmatrix",     "bmatrix",
                                                   "Bmatrix", "vmatrix", "smallmatrix", "Vmatrix"};
  if (std::ranges::find(kNames, name) == kNames.end()) return std::nullopt;
  const std::string end = fmt::format("\\end{{{}}}", name);
  if (!text.ends_with(end) || text.size() < name_end + 1 + end.size()) return std::nullopt;
  text = trim(text.substr(name_end + 1, text.size() - name_end - 1 - end.size()));
  if (name == "array" && text.starts_with('{')) {
    text.remove_prefix(std::min(text.find('}'), text.size() - 1) + 1);
  }
  std::string plain;
  while (!(text = trim(text)).empty()) {
    const std::size_t length = std::min(text.find("\\\\"), text.size());
    std::string_view row = text.substr(0, length);
    text.remove_prefix(std::min(length + 2, text.size()));
    if (!plain.empty()) plain += '\n';
    for (bool first = true, more = true; more; first = false) {
      const std::size_t cell = row.find('&');
      more = cell != std::string_view::npos;
      const auto words = split_words(row.substr(0, cell));
      if (words.size() != 1) return std::nullopt;
      if (!first) plain += ' ';
      plain += with_plain_minus(words[0]);
      if (more) row.remove_prefix(cell + 1);
    }
  }
  if (plain.find_first_of("{}\\") != std::string::npos) return std::nullopt;
  return plain;
}

// The same with brackets around, which an array has.
std::optional<std::string> plain_bracketed_latex_rows(std::string_view text) {
  if (auto rows = plain_latex_rows(text)) return rows;
  const auto inside = inside_brackets(text);
  return inside ? plain_latex_rows(trim(*inside)) : std::nullopt;
}

// Brackets without \left and \right before them.
std::string without_sizes(std::string_view text) {
  constexpr std::array kSizes{Replacement{"\\left", ""}, Replacement{"\\right", ""}};
  return replaced(text, kSizes);
}

std::optional<std::string> plain_list(std::string_view given) {
  const std::string text = without_sizes(given);
  if (auto rows = plain_bracketed_latex_rows(text)) {
    const bool is_row = rows->find('\n') == std::string::npos;
    if (!is_row && rows->find(' ') != std::string::npos) return std::nullopt;
    std::ranges::replace(*rows, '\n', ' ');
    return rows;
  }
  return plain_items(inside_brackets(text).value_or(text));
}

// Rows in brackets, with nothing but commas and white space between: "[1, 2], [3, 4]".
std::optional<std::string> plain_bracketed_rows(std::string_view text) {
  std::string plain;
  bool first = true;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    if (!first && take(text, ",")) text = trim(text);
    const auto bracket = std::ranges::find_if(
        kBrackets, [&](const Bracket& candidate) { return text.starts_with(candidate.open); });
    if (bracket == kBrackets.end()) return std::nullopt;
    const std::size_t end = text.find(bracket->close);
    if (end == std::string_view::npos) return std::nullopt;
    const auto row = plain_items(text.substr(bracket->open.size(), end - bracket->open.size()));
    if (!row) return std::nullopt;
    if (!first) plain += '\n';
    first = false;
    plain += *row;
    text.remove_prefix(end + bracket->close.size());
  }
  return plain;
}

std::optional<std::string> plain_rows(std::string_view given) {
  const std::string sized = without_sizes(given);
  std::string_view text = sized;
  if (auto rows = plain_bracketed_latex_rows(text)) return rows;
  if (const auto inside = inside_brackets(text)) {
    if (holds_brackets(*inside)) {
      if (auto rows = plain_bracketed_rows(*inside)) return rows;  // [[1, 2], [3, 4]]
    } else if (inside->find(';') != std::string_view::npos) {
      text = *inside;  // [1, 2; 3, 4]
    }
  }
  if (holds_brackets(text)) return plain_bracketed_rows(text);
  std::string plain;
  std::string lines(text);
  // "1 2; 3 4": a semicolon ends a row, unless there are lines.
  if (split_lines(text).size() == 1) std::ranges::replace(lines, ';', '\n');
  for (const std::string_view line : split_lines(lines)) {
    const auto row = plain_items(line);
    if (!row) return std::nullopt;
    if (!plain.empty()) plain += '\n';
    plain += *row;
  }
  return plain;
}

std::string plain_expression(std::string_view text) {
  constexpr std::array kSigns{
      Replacement{"\\left", ""},       Replacement{"\\right", ""},
      Replacement{"\\times", "*"},     Replacement{"\\cdot", "*"},
      Replacement{"\\div", "/"},       Replacement{"\xc3\x97", "*"},      // ×
      Replacement{"\xc2\xb7", "*"},    Replacement{"\xe2\x8b\x85", "*"},  // · ⋅
      Replacement{"\xc3\xb7", "/"},    Replacement{"\xe2\x88\x95", "/"},  // ÷ ∕
      Replacement{"\xe2\x88\x92", "-"}};                                  // −
  return replaced(text, kSigns);
}

std::optional<std::string> plain_value(std::string_view text, AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kInteger:
      return plain_integer(text);
    case AnswerKind::kReal:
      return plain_real(text);
    case AnswerKind::kFraction:
      return plain_fraction(text);
    case AnswerKind::kIntegerList:
      return plain_list(text);
    case AnswerKind::kIntegerMatrix:
    case AnswerKind::kPairs:
      return plain_rows(text);
    case AnswerKind::kExpression:
      return plain_expression(text);
    default:
      return std::string(text);
  }
}

// A word in small letters, in capitals, and with one capital, so far as it is none of them.
void add_cases(const std::string& word, std::vector<std::string>& forms) {
  constexpr std::size_t kLongest = 100;  // a choice is a word or a few
  if (word.size() > kLongest) return;
  std::string small;
  std::string large;
  for (const char c : word) {
    small += ascii_lower(c);
    large += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  std::string one = small;
  if (!one.empty()) one[0] = large[0];
  for (const std::string& form : {small, large, one}) {
    if (form != word && std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
  }
}

// Lines of single characters with blanks between, without the blanks; nullopt: they are none.
std::optional<std::string> joined_letters(std::string_view text) {
  std::string joined;
  bool had_blanks = false;
  for (const std::string_view line : split_lines(text)) {
    const auto words = split_words(line);
    if (!std::ranges::all_of(words, [](std::string_view word) { return word.size() == 1; }))
      return std::nullopt;
    if (!joined.empty()) joined += '\n';
    for (const std::string_view word : words) joined += word;
    had_blanks = had_blanks || words.size() > 1;
  }
  if (!had_blanks) return std::nullopt;
  return joined;
}

}  // namespace

std::optional<std::string> plain_form(std::string_view answer, AnswerKind kind) {
  if (kind == AnswerKind::kTurns) return std::nullopt;
  const std::string_view text = trim(answer);
  auto plain = plain_value(undressed(text, kind), kind);
  if (!plain || *plain == text) return std::nullopt;
  return plain;
}

OtherForms other_forms(std::string_view answer, AnswerKind kind) {
  OtherForms forms;
  if (kind == AnswerKind::kTurns) return forms;
  if (auto plain = plain_form(answer, kind)) {
    forms.list.push_back(std::move(*plain));
    forms.first_is_plain = true;
  }
  const std::string text = forms.list.empty() ? std::string(trim(answer)) : forms.list.front();
  if (kind == AnswerKind::kChoice) {
    add_cases(text, forms.list);
  } else if (kind == AnswerKind::kString) {
    if (auto joined = joined_letters(text)) forms.list.push_back(std::move(*joined));
  }
  return forms;
}

Verdict best_verdict(const Verdict& strict, const OtherForms& forms,
                     std::span<const Verdict> verdicts) {
  Verdict best = strict;
  if (forms.first_is_plain && verdicts[0].well_formed) best = verdicts[0];
  for (const Verdict& verdict : verdicts) {
    if (!best.solved && verdict.reward > best.reward) best = verdict;
  }
  return best;
}

}  // namespace redqueen
