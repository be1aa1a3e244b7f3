#include "redqueen/core/plain_form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"

namespace redqueen {
namespace {

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
  for (const std::string_view command : {"\\boxed", "\\text", "\\mathrm", "\\mathbf", "\\textbf"}) {
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

// Returns the text after "Answer:".
std::optional<std::string_view> after_answer_label(std::string_view text) {
  const bool bold = take(text, "**");
  take(text, "the ");
  take(text, "final ");
  if (!take(text, "answer")) return std::nullopt;
  bool closed = bold && take(text, "**");
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

std::optional<std::string_view> without_label(std::string_view text, AnswerKind kind) {
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
    if (!inside || trim(*inside).empty()) break;
    text = trim(*inside);
  }
  return text;
}

// Minus signs of Unicode as ASCII has it.
std::string with_plain_minus(std::string_view text) {
  constexpr std::string_view kMinus = "\xe2\x88\x92";
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, kMinus.size()) == kMinus) {
      plain += '-';
      i += kMinus.size();
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

std::string plain_integer(std::string_view text) {
  // A comma, the same in LaTeX, LaTeX's thin space, thin space, narrow no-break space, underscore.
  return without_separators(with_plain_minus(text),
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
    plain += with_plain_minus(word);
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

std::optional<std::string> plain_list(std::string_view text) {
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

std::optional<std::string> plain_rows(std::string_view text) {
  if (const auto inside = inside_brackets(text); inside && holds_brackets(*inside)) {
    if (auto rows = plain_bracketed_rows(*inside)) return rows;  // [[1, 2], [3, 4]]
  }
  if (holds_brackets(text)) return plain_bracketed_rows(text);
  std::string plain;
  for (const std::string_view line : split_lines(text)) {
    const auto row = plain_items(line);
    if (!row) return std::nullopt;
    if (!plain.empty()) plain += '\n';
    plain += *row;
  }
  return plain;
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
    default:
      return std::string(text);
  }
}

}  // namespace

std::optional<std::string> plain_form(std::string_view answer, AnswerKind kind) {
  if (kind == AnswerKind::kTurns) return std::nullopt;
  const std::string_view text = trim(answer);
  auto plain = plain_value(undressed(text, kind), kind);
  if (!plain || *plain == text) return std::nullopt;
  return plain;
}

}  // namespace redqueen
