#include "redqueen/data_sets/math_answer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/data_sets/math_exact.h"
#include "redqueen/data_sets/math_expression.h"
#include "redqueen/data_sets/math_parser.h"
#include "redqueen/data_sets/math_tokens.h"

namespace redqueen::data_sets {

struct MathValue {
  enum class Kind {
    kWords,     // text, folded
    kNumber,    // expression, with unit and percent
    kSequence,  // items between open and close: a tuple, a list or an interval
    kSet,       // items
    kList,      // items without brackets; `either` if joined by "or"
    kUnion,     // items
    kMatrix,    // items are rows, which are sequences
    kRelation,  // items joined by signs
  };
  Kind kind = Kind::kWords;
  std::string text = {};
  ExpressionPtr expression = nullptr;
  std::string unit = {};
  bool percent = false;
  char open = '(';
  char close = ')';
  bool either = false;
  std::vector<MathValue> items = {};
  std::vector<std::string> signs = {};  // "=", "<", "≤" as "<=", ">", ">=", "!="
};

namespace {

using Kind = MathValue::Kind;
using Tokens = std::span<const MathToken>;

constexpr std::size_t kMaxItems = 200;
constexpr int kMaxNesting = 8;
constexpr std::uint64_t kComparisonWork = 500;  // of two values, besides their expressions

// --- tokens -------------------------------------------------------------------------------------

bool is_sign(const MathToken& token, std::string_view text) {
  return token.kind == MathToken::Kind::kSign && token.text == text;
}
bool is_command(const MathToken& token, std::string_view text) {
  return token.kind == MathToken::Kind::kCommand && token.text == text;
}

// +1 for an opening bracket, −1 for a closing one.
int bracket(const MathToken& token) {
  static constexpr std::array<std::string_view, 4> kOpening{"{", "langle", "lfloor", "lceil"};
  static constexpr std::array<std::string_view, 4> kClosing{"}", "rangle", "rfloor", "rceil"};
  if (token.kind == MathToken::Kind::kCommand) {
    if (std::ranges::find(kOpening, token.text) != kOpening.end() || token.text == "begin")
      return 1;
    if (std::ranges::find(kClosing, token.text) != kClosing.end() || token.text == "end") return -1;
    return 0;
  }
  if (token.kind != MathToken::Kind::kSign) return 0;
  if (token.text == "(" || token.text == "[" || token.text == "{") return 1;
  if (token.text == ")" || token.text == "]" || token.text == "}") return -1;
  return 0;
}

// Words without what only lays them out: letter case, spaces, quotes, brackets around them.
std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      result += static_cast<char>(c | 0x20);
    } else if (std::string_view(" \t\n\r\\{}$'\"`*~").find(c) == std::string_view::npos) {
      result += c;
    }
  }
  while (!result.empty() && std::string_view(".,!").find(result.back()) != std::string_view::npos)
    result.pop_back();
  if (result.size() > 2 && result.front() == '(' && result.back() == ')')
    return result.substr(1, result.size() - 2);
  return result;
}

std::string joined(Tokens tokens) {
  std::string text;
  for (const MathToken& token : tokens) text += token.text;
  return text;
}

// 12,345 and 12 345 are one number outside of brackets.
std::vector<MathToken> with_thousands(std::vector<MathToken> tokens) {
  using TokenKind = MathToken::Kind;
  std::vector<MathToken> result;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    depth += bracket(tokens[i]);
    result.push_back(std::move(tokens[i]));
    if (depth > 0 || result.back().kind != TokenKind::kNumber) continue;
    MathToken& number = result.back();
    if (number.text.size() > 3 || number.text.find('.') != std::string::npos) continue;
    while (i + 1 < tokens.size() && number.text.find('.') == std::string::npos) {
      std::size_t next = i + 1;
      bool comma = false;
      if (is_sign(tokens[next], ",") && !tokens[next].space) {
        comma = true;
        ++next;
      } else if (next + 2 < tokens.size() && is_sign(tokens[next], "{") &&
                 is_sign(tokens[next + 1], ",") && is_sign(tokens[next + 2], "}")) {
        comma = true;
        next += 3;
      }
      if (next >= tokens.size() || tokens[next].kind != TokenKind::kNumber) break;
      if (comma == tokens[next].space) break;
      if (std::min(tokens[next].text.find('.'), tokens[next].text.size()) != 3) break;
      number.text += tokens[next].text;
      i = next;
    }
  }
  return result;
}

// --- units --------------------------------------------------------------------------------------

// Units as words of plain text, in their short forms.
constexpr std::array<std::pair<std::string_view, std::string_view>, 46> kUnits{{
    {"cm", "cm"},         {"centimeter", "cm"}, {"centimetre", "cm"}, {"mm", "mm"},
    {"millimeter", "mm"}, {"km", "km"},         {"kilometer", "km"},  {"kilometre", "km"},
    {"meter", "m"},       {"metre", "m"},       {"inch", "in"},       {"inche", "in"},
    {"feet", "ft"},       {"foot", "ft"},       {"ft", "ft"},         {"mile", "mi"},
    {"yard", "yd"},       {"kg", "kg"},         {"kilogram", "kg"},   {"gram", "g"},
    {"pound", "lb"},      {"second", "s"},      {"sec", "s"},         {"minute", "min"},
    {"min", "min"},       {"hour", "h"},        {"hr", "h"},          {"day", "day"},
    {"week", "week"},     {"month", "month"},   {"year", "year"},     {"degree", "°"},
    {"dollar", "$"},      {"cent", "cent"},     {"unit", "unit"},     {"square", "square"},
    {"cubic", "cubic"},   {"liter", "l"},       {"litre", "l"},       {"mph", "mph"},
    {"euro", "euro"},     {"yen", "yen"},       {"percent", "%"},     {"people", "people"},
    {"way", "way"},       {"sq", "square"},
}};

std::string singular(std::string word) {
  if (word.size() > 2 && word.back() == 's') word.pop_back();
  return word;
}

std::optional<std::string> unit_word(std::string_view word) {
  const std::string plain = singular(folded(word));
  for (const auto& [name, unit] : kUnits) {
    if (plain == name || folded(word) == name) return std::string(unit);
  }
  return std::nullopt;
}

// What a text says as a unit: known words in short form, all others folded.
std::string unit_of(std::string_view text) {
  std::string unit;
  for (const std::string_view word : split_words(text)) {
    const auto known = unit_word(word);
    unit += known ? *known : folded(word);
  }
  return unit;
}

// --- reading ------------------------------------------------------------------------------------

MathValue words(std::string_view text) { return {.kind = Kind::kWords, .text = folded(text)}; }

class Reader {
 public:
  MathValue read(Tokens tokens) {
    if (++nesting_ > kMaxNesting || tokens.empty()) {
      --nesting_;
      return words(joined(tokens));
    }
    MathValue value = read_here(tokens);
    --nesting_;
    return value;
  }

 private:
  using TokenKind = MathToken::Kind;

  MathValue read_here(Tokens tokens) {
    if (auto value = split(tokens, Kind::kUnion, [](const MathToken& token) {
          return is_command(token, "cup") ? 1 : 0;
        })) {
      return *value;
    }
    if (auto value = split(tokens, Kind::kList, [](const MathToken& token) {
          if (is_sign(token, ",") || is_sign(token, ";")) return 1;
          if (token.kind != TokenKind::kText && token.kind != TokenKind::kWord) return 0;
          const std::string text = folded(token.text);
          return text == "and" ? 1 : text == "or" ? 2 : 0;
        })) {
      return *value;
    }
    if (auto value = relation(tokens)) return *value;
    if (auto value = plus_minus(tokens)) return *value;
    if (auto value = bracketed(tokens)) return *value;
    if (auto value = matrix(tokens)) return *value;
    if (is_reals(tokens)) return real_line();
    if (tokens.size() == 1 &&
        (is_command(tokens[0], "emptyset") || is_command(tokens[0], "varnothing")))
      return {.kind = Kind::kSet};
    if (tokens.size() == 1 && tokens[0].kind == TokenKind::kText) return text_only(tokens[0].text);
    if (is_prose(tokens)) return words(joined(tokens));
    return quantity(tokens);
  }

  // \mathbb{R} or \mathbb R
  static bool is_reals(Tokens tokens) {
    if (tokens.size() < 2 || !is_command(tokens[0], "mathbb")) return false;
    tokens = tokens.subspan(1);
    if (tokens.size() == 3 && is_sign(tokens[0], "{") && is_sign(tokens[2], "}"))
      tokens = tokens.subspan(1, 1);
    return tokens.size() == 1 && tokens[0].text == "R";
  }

 public:
  // (−∞, ∞)
  static MathValue real_line() {
    const ExpressionPtr infinite = constant("infinity");
    return {.kind = Kind::kSequence,
            .items = {{.kind = Kind::kNumber, .expression = negated(infinite)},
                      {.kind = Kind::kNumber, .expression = infinite}}};
  }

 private:
  // \{x \mid x > 3\} and \{x : x > 3\}: the condition, where a symbol stands before it, perhaps
  // with "\in \mathbb{R}".
  std::optional<MathValue> set_builder(Tokens inside) {
    int depth = 0;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      depth += bracket(inside[i]);
      const bool divides =
          depth == 0 && (is_command(inside[i], "mid") || is_sign(inside[i], "|") ||
                         is_sign(inside[i], ":") || is_command(inside[i], "colon"));
      if (!divides) continue;
      const bool is_name =
          i > 0 && inside[0].kind == TokenKind::kWord && inside[0].text.size() == 1 &&
          (i == 1 || (is_command(inside[1], "in") && is_reals(inside.subspan(2, i - 2))));
      if (!is_name) return std::nullopt;
      MathValue condition = read(inside.subspan(i + 1));
      if (condition.kind != Kind::kRelation && condition.kind != Kind::kList) return std::nullopt;
      return condition;
    }
    return std::nullopt;
  }

  // The parts between separators outside of brackets; nullopt if there is no separator. `rank` is 0
  // for anything else, 2 for "or".
  template <typename Rank>
  std::optional<MathValue> split(Tokens tokens, Kind kind, Rank rank) {
    MathValue value{.kind = kind, .either = true};
    int depth = 0;
    std::size_t begin = 0;
    bool found = false;
    const auto add = [&](std::size_t end) {
      if (end > begin) value.items.push_back(read(tokens.subspan(begin, end - begin)));
    };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      depth += bracket(tokens[i]);
      const int here = depth == 0 ? rank(tokens[i]) : 0;
      if (here == 0) continue;
      found = true;
      if (here != 2) value.either = false;
      add(i);
      begin = i + 1;
      if (value.items.size() > kMaxItems) return words(joined(tokens));
    }
    if (!found) return std::nullopt;
    add(tokens.size());
    if (value.items.empty()) return words(joined(tokens));
    if (value.items.size() == 1) return value.items[0];
    return value;
  }

  static std::string relation_sign(Tokens tokens, std::size_t at, std::size_t& length) {
    length = 1;
    const MathToken& token = tokens[at];
    if (token.kind == TokenKind::kCommand) {
      if (token.text == "le" || token.text == "leq" || token.text == "leqslant") return "<=";
      if (token.text == "ge" || token.text == "geq" || token.text == "geqslant") return ">=";
      if (token.text == "lt") return "<";
      if (token.text == "gt") return ">";
      if (token.text == "ne" || token.text == "neq") return "!=";
      if (token.text == "in") return "in";
      return {};
    }
    if (token.kind != TokenKind::kSign) return {};
    const bool equals_next = at + 1 < tokens.size() && is_sign(tokens[at + 1], "=");
    if ((token.text == "<" || token.text == ">" || token.text == "!") && equals_next) {
      length = 2;
      return token.text + "=";
    }
    if (token.text == "=" || token.text == "<" || token.text == ">") return token.text;
    return {};
  }

  std::optional<MathValue> relation(Tokens tokens) {
    MathValue value{.kind = Kind::kRelation};
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      depth += bracket(tokens[i]);
      if (depth != 0) continue;
      std::size_t length = 1;
      const std::string sign = relation_sign(tokens, i, length);
      if (sign.empty()) continue;
      value.items.push_back(read(tokens.subspan(begin, i - begin)));
      value.signs.push_back(sign);
      begin = i + length;
      i += length - 1;
      if (value.items.size() > 4) return std::nullopt;
    }
    if (value.signs.empty() || begin >= tokens.size()) return std::nullopt;
    value.items.push_back(read(tokens.subspan(begin)));
    if (value.signs[0] == "in" && value.signs.size() == 1) return value.items[1];
    return value;
  }

  std::optional<MathValue> plus_minus(Tokens tokens) {
    const auto is_pm = [](const MathToken& token) {
      return is_command(token, "pm") || is_command(token, "mp");
    };
    if (std::ranges::count_if(tokens, is_pm) != 1) return std::nullopt;
    MathValue value{.kind = Kind::kList};
    for (const char* sign : {"+", "-"}) {
      std::vector<MathToken> chosen(tokens.begin(), tokens.end());
      *std::ranges::find_if(chosen, is_pm) = {TokenKind::kSign, sign, false};
      value.items.push_back(read(chosen));
    }
    return value;
  }

  // (…), […], \{…\}, \langle…\rangle around everything.
  std::optional<MathValue> bracketed(Tokens tokens) {
    if (tokens.size() < 2 || bracket(tokens.front()) != 1) return std::nullopt;
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      depth += bracket(tokens[i]);
      if (depth == 0 && i + 1 < tokens.size()) return std::nullopt;
    }
    if (depth != 0) return std::nullopt;
    const bool braces = is_sign(tokens.front(), "{");  // a set in plain text, a group in LaTeX
    const bool set = is_command(tokens.front(), "{") && is_command(tokens.back(), "}");
    const bool angles = is_command(tokens.front(), "langle");
    if (tokens.front().kind == TokenKind::kCommand && !set && !angles) return std::nullopt;
    const Tokens inside = tokens.subspan(1, tokens.size() - 2);
    if (set) {
      if (auto condition = set_builder(inside)) return condition;
    }
    MathValue content = inside.empty() ? MathValue{.kind = Kind::kList} : read(inside);
    const bool list = content.kind == Kind::kList && content.expression == nullptr;
    if (set || (braces && list)) {
      if (!list) content = {.kind = Kind::kList, .items = {content}};
      return MathValue{.kind = Kind::kSet, .items = std::move(content.items)};
    }
    if (!list) {
      if (content.kind == Kind::kNumber || content.kind == Kind::kRelation) return std::nullopt;
      return content;
    }
    MathValue value{.kind = Kind::kSequence, .items = std::move(content.items)};
    if (!angles) {
      value.open = tokens.front().text[0];
      value.close = tokens.back().text[0];
    }
    return value;
  }

  // \begin{pmatrix} a & b \\ c & d \end{pmatrix}
  std::optional<MathValue> matrix(Tokens tokens) {
    if (tokens.size() < 9 || !is_command(tokens[0], "begin") || !is_sign(tokens[1], "{"))
      return std::nullopt;
    const bool array = tokens[2].kind == TokenKind::kWord && tokens[2].text == "array";
    if (tokens[2].kind != TokenKind::kWord || (!array && !tokens[2].text.ends_with("matrix")))
      return std::nullopt;
    const std::size_t end = tokens.size() - 4;
    if (!is_command(tokens[end], "end")) return std::nullopt;
    MathValue value{.kind = Kind::kMatrix};
    MathValue row{.kind = Kind::kSequence};
    std::size_t begin = 4;
    if (array) {  // {rcl}, the columns
      if (!is_sign(tokens[begin], "{")) return std::nullopt;
      while (begin < end && !is_sign(tokens[begin], "}")) ++begin;
      ++begin;
    }
    int depth = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i < end) depth += bracket(tokens[i]);
      const bool new_row = i == end || (depth == 0 && is_command(tokens[i], "\\"));
      if (!new_row && !(depth == 0 && is_sign(tokens[i], "&"))) continue;
      if (i > begin) row.items.push_back(read(tokens.subspan(begin, i - begin)));
      begin = i + 1;
      if (new_row && !row.items.empty()) {
        value.items.push_back(std::move(row));
        row = {.kind = Kind::kSequence};
      }
    }
    return value;
  }

  MathValue text_only(const std::string& text) {
    const bool has_digit = std::ranges::any_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!has_digit) return words(text);
    return read(with_thousands(tokenize_math(text)));
  }

  // Words and nothing else: "Monday", "no solution".
  static bool is_prose(Tokens tokens) {
    const auto is_words = [](const MathToken& token) {
      return token.kind == TokenKind::kWord || token.kind == TokenKind::kText ||
             is_sign(token, "'") || is_sign(token, ".");
    };
    if (!std::ranges::all_of(tokens, is_words)) return false;
    return std::ranges::any_of(tokens, [](const MathToken& token) {
      return token.text.size() > 2 && !is_mathematical_word(token.text);
    });
  }

  // An expression, with what stands around it in a quantity: money, percent, a unit.
  MathValue quantity(Tokens tokens) {
    const Tokens whole = tokens;
    MathValue value{.kind = Kind::kNumber};
    if (tokens.size() == 1 && is_name(tokens[0])) value.text = tokens[0].text;
    while (!tokens.empty() && is_currency(tokens.front())) {
      value.unit = tokens.front().text;
      tokens = tokens.subspan(1);
    }
    const auto is_percent = [](const MathToken& token) {
      return is_sign(token, "%") || is_command(token, "%");
    };
    if (!tokens.empty() && (is_percent(tokens.back()) || is_currency(tokens.back()))) {
      if (is_percent(tokens.back())) {
        value.percent = true;
      } else {
        value.unit = tokens.back().text;
      }
      tokens = tokens.first(tokens.size() - 1);
    }
    take_degrees(tokens, value);
    take_unit(tokens, value);
    if (value.unit == "%") {
      value.unit.clear();
      value.percent = true;
    }
    value.expression = mixed_number(tokens);
    if (!value.expression) value.expression = parse_expression(tokens);
    if (!value.expression) return words(joined(whole));
    return value;
  }

  static bool is_currency(const MathToken& token) {
    return is_command(token, "$") || is_command(token, "euro") || is_command(token, "pounds") ||
           is_command(token, "yen");
  }

  // Capitals side by side name something: a coin's faces, a segment. They are no product that could
  // be turned round.
  static bool is_name(const MathToken& token) {
    return token.kind == TokenKind::kWord && token.text.size() > 1 &&
           std::ranges::all_of(token.text, [](char c) { return c >= 'A' && c <= 'Z'; });
  }

  // "m/s" behind a number and a space: letters alone are units only in a quotient of such.
  static bool is_quotient_of_units(Tokens tokens) {
    static constexpr std::array<std::string_view, 17> kLetters{
        "m", "s", "g", "h", "l", "L", "N", "J", "W", "V", "A", "K", "Pa", "Hz", "mol", "kg", "km"};
    if (tokens.size() < 3 || !tokens[0].space) return false;
    bool divides = false;
    for (const MathToken& token : tokens) {
      if (is_sign(token, "/")) {
        divides = true;
      } else if (token.kind == TokenKind::kWord) {
        if (!unit_word(token.text) && std::ranges::find(kLetters, token.text) == kLetters.end())
          return false;
      } else if (token.kind != TokenKind::kNumber && !is_sign(token, "^") && !is_sign(token, "{") &&
                 !is_sign(token, "}") && !is_sign(token, "-")) {
        return false;
      }
    }
    return divides && tokens[0].kind == TokenKind::kWord;
  }

  // Degrees behind a number are a unit; in an argument of a function the parser converts them.
  static void take_degrees(Tokens& tokens, MathValue& value) {
    if (std::ranges::any_of(tokens, [](const MathToken& token) {
          return token.kind != TokenKind::kNumber && is_mathematical_word(token.text) &&
                 token.text != "pi";
        })) {
      return;
    }
    const std::size_t size = tokens.size();
    std::size_t length = 0;
    if (size > 2 && is_sign(tokens[size - 2], "^") && is_command(tokens[size - 1], "circ")) {
      length = 2;
    } else if (size > 4 && is_sign(tokens[size - 4], "^") && is_sign(tokens[size - 3], "{") &&
               is_command(tokens[size - 2], "circ")) {
      length = 4;
    }
    if (length == 0) return;
    value.unit = "°";
    tokens = tokens.first(size - length);
  }

  // A unit begins with the first text or word for one that follows a number.
  static void take_unit(Tokens& tokens, MathValue& value) {
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      depth += bracket(tokens[i]);
      if (i == 0 || depth != 0) continue;
      const MathToken& token = tokens[i];
      const bool text = token.kind == TokenKind::kText;
      const bool known = token.kind == TokenKind::kWord && unit_word(token.text).has_value();
      // "5 m": one letter alone is a unit only behind a space, at the end.
      const bool quotient = token.kind == TokenKind::kWord &&
                            tokens[i - 1].kind == TokenKind::kNumber &&
                            is_quotient_of_units(tokens.subspan(i));
      if (!text && !known && !quotient) continue;
      std::string unit;
      for (const MathToken& part : tokens.subspan(i)) {
        if (part.kind == TokenKind::kSign && part.text != "/" && part.text != "^") continue;
        for (const char c : part.text) {  // "m/s" in one \text or in three tokens
          if (c == '/') unit += ' ';
          unit += c;
          if (c == '/') unit += ' ';
        }
        unit += ' ';
      }
      value.unit += unit_of(unit);
      tokens = tokens.first(i);
      return;
    }
  }

  // "3 1/2"
  static ExpressionPtr mixed_number(Tokens tokens) {
    const bool minus = !tokens.empty() && is_sign(tokens[0], "-");
    if (minus) tokens = tokens.subspan(1);
    if (tokens.size() != 4 || tokens[0].kind != TokenKind::kNumber ||
        tokens[1].kind != TokenKind::kNumber || !tokens[1].space || !is_sign(tokens[2], "/") ||
        tokens[3].kind != TokenKind::kNumber) {
      return nullptr;
    }
    for (const std::size_t i : {0, 1, 3}) {
      if (tokens[i].text.find('.') != std::string::npos) return nullptr;
    }
    const Rational below = number_of(tokens[3]);
    if (below == 0) return nullptr;
    const Rational value = number_of(tokens[0]) + number_of(tokens[1]) / below;
    return number(minus ? Rational(-value) : value);
  }

  int nesting_ = 0;
};

// --- comparing ----------------------------------------------------------------------------------

bool same(const MathValue& a, const MathValue& b, Work& work);

bool is_symbol(const MathValue& value) {
  return value.kind == Kind::kNumber && value.expression->kind == Expression::Kind::kSymbol;
}

// "x = 5", "f(x) = 5" and "(x, y) = (1, 2)": the name that is explained.
bool names_something(const MathValue& left) {
  if (is_symbol(left)) return true;
  if (left.kind == Kind::kSequence) return std::ranges::all_of(left.items, is_symbol);
  if (left.kind != Kind::kNumber || left.expression->kind != Expression::Kind::kProduct)
    return false;
  const auto& parts = left.expression->parts;
  return std::ranges::all_of(
      parts, [](const ExpressionPtr& part) { return part->kind == Expression::Kind::kSymbol; });
}

bool is_equation(const MathValue& value) {
  return value.kind == Kind::kRelation &&
         std::ranges::all_of(value.signs, [](const auto& sign) { return sign == "="; });
}

// True if it is about numbers alone.
bool is_numeric(const MathValue& value) {
  return std::ranges::all_of(value.items, [](const MathValue& item) {
    return item.kind == Kind::kNumber && !has_symbols(*item.expression);
  });
}

// Returns the right side of an equation whose left side is a name, or of one that is true of
// numbers: "\log_2 32 = 5".
const MathValue* explained(const MathValue& value, Work& work) {
  if (!is_equation(value)) return nullptr;
  const MathValue& last = value.items.back();
  if (names_something(value.items.front())) return &last;
  if (!is_numeric(value)) return nullptr;
  const bool holds = std::ranges::all_of(
      value.items, [&](const MathValue& item) { return same(item, last, work); });
  return holds ? &last : nullptr;
}

MathValue as_number(ExpressionPtr expression) {
  return {.kind = Kind::kNumber, .expression = std::move(expression)};
}

// The interval of an inequality about one symbol.
std::optional<MathValue> interval_of(const MathValue& value) {
  if (value.kind != Kind::kRelation || value.items.size() > 3) return std::nullopt;
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.items[i].kind != Kind::kNumber) return std::nullopt;
    if (!has_symbols(*value.items[i].expression)) continue;
    if (place || !is_symbol(value.items[i])) return std::nullopt;
    place = i;
  }
  if (!place) return std::nullopt;
  if (value.signs.size() == 1 && value.signs[0] == "!=") {
    const MathValue& hole = value.items[1 - *place];
    MathValue united{.kind = Kind::kUnion};
    united.items.push_back(
        {.kind = Kind::kSequence, .items = {as_number(negated(constant("infinity"))), hole}});
    united.items.push_back(
        {.kind = Kind::kSequence, .items = {hole, as_number(constant("infinity"))}});
    return united;
  }
  MathValue interval{.kind = Kind::kSequence};
  ExpressionPtr low = negated(constant("infinity"));
  ExpressionPtr high = constant("infinity");
  const auto bound = [&](const std::string& sign, const MathValue& other, bool symbol_is_left) {
    if (sign == "=" || sign == "!=") return false;
    const bool upper = (sign[0] == '<') == symbol_is_left;
    const bool closed = sign.size() == 2;
    (upper ? high : low) = other.expression;
    if (closed) (upper ? interval.close : interval.open) = upper ? ']' : '[';
    return true;
  };
  if (*place > 0 && !bound(value.signs[*place - 1], value.items[*place - 1], false))
    return std::nullopt;
  if (*place + 1 < value.items.size() && !bound(value.signs[*place], value.items[*place + 1], true))
    return std::nullopt;
  if (value.items.size() == 3 && *place != 1) return std::nullopt;
  interval.items = {as_number(low), as_number(high)};
  return interval;
}

// Inequalities as intervals, and one of several as their union.
MathValue with_intervals(const MathValue& value) {
  static const MathValue kReals = Reader::real_line();
  for (const std::string_view name : {"allrealnumbers", "allreals", "realnumbers", "thereals"}) {
    if (value.kind == Kind::kWords && value.text == name) return kReals;
  }
  if (auto interval = interval_of(value)) return *interval;
  if (value.kind != Kind::kList || !value.either) return value;
  MathValue united{.kind = Kind::kUnion};
  for (const MathValue& item : value.items) {
    auto interval = interval_of(item);
    if (!interval) return value;
    united.items.push_back(std::move(*interval));
  }
  return united;
}

// Each item of a has its own in b.
bool same_in_any_order(const std::vector<MathValue>& a, const std::vector<MathValue>& b,
                       Work& work) {
  if (a.size() != b.size()) return false;
  std::vector<bool> used(b.size());
  for (const MathValue& item : a) {
    std::size_t i = 0;
    while (i < b.size() && (used[i] || !same(item, b[i], work))) ++i;
    if (i == b.size()) return false;
    used[i] = true;
  }
  return true;
}

bool same_in_order(const std::vector<MathValue>& a, const std::vector<MathValue>& b, Work& work) {
  return std::ranges::equal(a, b, [&](const auto& x, const auto& y) { return same(x, y, work); });
}

std::vector<MathValue> without_repetition(const std::vector<MathValue>& items, Work& work) {
  std::vector<MathValue> result;
  for (const MathValue& item : items) {
    if (std::ranges::none_of(result, [&](const MathValue& seen) { return same(seen, item, work); }))
      result.push_back(item);
  }
  return result;
}

bool same_number(const MathValue& a, const MathValue& b, Work& work) {
  if (!a.unit.empty() && !b.unit.empty() && a.unit != b.unit) return false;
  if ((a.percent && !b.unit.empty()) || (b.percent && !a.unit.empty())) return false;
  if (!a.text.empty() && !b.text.empty()) return a.text == b.text;  // names
  if (same_value(*a.expression, *b.expression, work)) return true;
  if ((a.unit == "°") != (b.unit == "°")) {
    const auto radians = [](const MathValue& value) {
      if (value.unit.empty()) return value.expression;
      return product({value.expression, constant("pi"), number(Rational(1, 180))});
    };
    return same_value(*radians(a), *radians(b), work);
  }
  if (a.percent == b.percent) return false;
  const auto share = [](const MathValue& value) {
    return value.percent ? product({value.expression, number(Rational(1, 100))}) : value.expression;
  };
  return same_value(*share(a), *share(b), work);
}

bool same_relation(const MathValue& a, const MathValue& b, Work& work) {
  if (a.signs.size() == 1 && b.signs.size() == 1) {
    for (const MathValue* side : {&a.items[0], &a.items[1], &b.items[0], &b.items[1]}) {
      if (side->kind != Kind::kNumber) {
        return a.signs == b.signs && same_in_order(a.items, b.items, work);
      }
    }
    if (is_numeric(a) || is_numeric(b)) {
      const MathValue* value_a = explained(a, work);
      const MathValue* value_b = explained(b, work);
      if (value_a != nullptr && value_b != nullptr) return same(*value_a, *value_b, work);
      return a.signs == b.signs && same_in_order(a.items, b.items, work);
    }
    const auto difference = [](const MathValue& value) {
      return sum({value.items[0].expression, negated(value.items[1].expression)});
    };
    const Proportion found = proportion(*difference(a), *difference(b), work);
    if (found == Proportion::kNone) return false;
    if (a.signs[0] == "=" || a.signs[0] == "!=") return a.signs == b.signs;
    static const std::array<std::pair<std::string_view, std::string_view>, 4> kTurned{
        {{"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}}};
    if (found == Proportion::kPositive) return a.signs == b.signs;
    return std::ranges::any_of(kTurned, [&](const auto& pair) {
      return pair.first == a.signs[0] && pair.second == b.signs[0];
    });
  }
  return a.signs == b.signs && same_in_order(a.items, b.items, work);
}

bool same(const MathValue& a, const MathValue& b, Work& work) {
  if (!work.spend(kComparisonWork)) return false;
  if (const MathValue* value = explained(a, work); value != nullptr && b.kind != Kind::kRelation)
    return same(*value, b, work);
  if (const MathValue* value = explained(b, work); value != nullptr && a.kind != Kind::kRelation)
    return same(a, *value, work);
  const auto is_one = [](const MathValue& value) {
    return (value.kind == Kind::kSet || value.kind == Kind::kList) && value.items.size() == 1;
  };
  if (is_one(a) && b.kind == Kind::kNumber) return same(a.items[0], b, work);
  if (is_one(b) && a.kind == Kind::kNumber) return same(a, b.items[0], work);
  if (a.kind == Kind::kSet || b.kind == Kind::kSet) {
    const auto is_collection = [](const MathValue& value) {
      return value.kind == Kind::kSet || value.kind == Kind::kList;
    };
    if (!is_collection(a) || !is_collection(b)) return false;
    return same_in_any_order(without_repetition(a.items, work), without_repetition(b.items, work),
                             work);
  }
  if (a.kind == Kind::kList && b.kind == Kind::kList)
    return same_in_any_order(a.items, b.items, work);
  if (a.kind == Kind::kSequence && b.kind == Kind::kList)
    return same_in_order(a.items, b.items, work);
  if (a.kind == Kind::kList && b.kind == Kind::kSequence)
    return same_in_order(a.items, b.items, work);
  if (a.kind == Kind::kWords && b.kind == Kind::kNumber && !b.text.empty())
    return a.text == folded(b.text);
  if (b.kind == Kind::kWords && a.kind == Kind::kNumber && !a.text.empty())
    return b.text == folded(a.text);
  if (a.kind == Kind::kWords && is_symbol(b)) return a.text == folded(b.expression->name);
  if (b.kind == Kind::kWords && is_symbol(a)) return b.text == folded(a.expression->name);
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kWords:
      return a.text == b.text;
    case Kind::kNumber:
      return same_number(a, b, work);
    case Kind::kSequence:
      return a.open == b.open && a.close == b.close && same_in_order(a.items, b.items, work);
    case Kind::kUnion:
      return same_in_any_order(a.items, b.items, work);
    case Kind::kMatrix:
      return same_in_order(a.items, b.items, work);
    case Kind::kRelation:
      return same_relation(a, b, work);
    case Kind::kSet:
    case Kind::kList:
      break;
  }
  return false;
}

// The letter of an option in any case: B and b.
bool is_same_choice(const MathValue& expected, const MathValue& given) {
  if (!is_symbol(expected) || !is_symbol(given)) return false;
  const std::string& letter = expected.expression->name;
  const std::string& own = given.expression->name;
  return letter.size() == 1 && own.size() == 1 && letter[0] >= 'A' && letter[0] <= 'F' &&
         (own[0] | 0x20) == (letter[0] | 0x20);
}

// True if |a − b| is at most `absolute`, or `relative` times |a|. Lists are compared item by item.
bool near(const MathValue& a, const MathValue& b, const Rational& absolute,
          const Rational& relative, Work& work) {
  if (const MathValue* value = explained(a, work)) return near(*value, b, absolute, relative, work);
  if (const MathValue* value = explained(b, work)) return near(a, *value, absolute, relative, work);
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kSequence || a.kind == Kind::kList) {
    return std::ranges::equal(a.items, b.items, [&](const MathValue& left, const MathValue& right) {
      return near(left, right, absolute, relative, work);
    });
  }
  if (a.kind != Kind::kNumber || !work.spend(kComparisonWork)) return false;
  if (has_symbols(*a.expression) || has_symbols(*b.expression)) return false;
  if (!a.unit.empty() && !b.unit.empty() && a.unit != b.unit) return false;
  if (a.percent != b.percent) return false;
  const ExpressionPtr off = sum({a.expression, negated(b.expression)});
  const auto at_most = [&](const ExpressionPtr& bound) {
    const int above = compare(*off, *bound, work);
    const int below = compare(*negated(bound), *off, work);
    return (above == -1 || above == 0) && (below == -1 || below == 0);
  };
  if (at_most(number(absolute))) return true;
  if (relative == 0) return false;
  const ExpressionPtr scaled = product({number(relative), a.expression});
  return compare(*a.expression, *number(0), work) == -1 ? at_most(negated(scaled))
                                                        : at_most(scaled);
}

bool is_minus(const Expression& e) {
  return e.kind == Expression::Kind::kProduct && e.parts.size() == 2 &&
         e.parts[0]->kind == Expression::Kind::kNumber && e.parts[0]->value == -1;
}

// True for digits, with a sign, one fraction bar or a power of ten: nothing is left to compute.
bool is_written_number(const Expression& e) {
  const auto is_number = [](const Expression& part) {
    return part.kind == Expression::Kind::kNumber;
  };
  const auto is_signed = [&](const Expression& part) {
    return is_number(part) || (is_minus(part) && is_number(*part.parts[1]));
  };
  const Expression& value = is_minus(e) ? *e.parts[1] : e;
  if (is_number(value)) return true;
  if (value.kind != Expression::Kind::kProduct || value.parts.size() != 2) return false;
  const Expression& below = *value.parts[1];
  if (below.kind != Expression::Kind::kPower || !is_signed(*value.parts[0])) return false;
  const Expression& base = *below.parts[0];
  const Expression& exponent = *below.parts[1];
  const bool fraction = is_number(base) && is_number(exponent) && exponent.value == -1;
  const bool scientific = is_number(base) && base.value == 10 && is_signed(exponent);
  return fraction || scientific;
}

}  // namespace

std::string_view unboxed(std::string_view text) {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
  for (const std::string_view command : {"\\boxed", "\\fbox"}) {
    const std::size_t found = text.rfind(command);
    if (found == std::string_view::npos || (at != std::string_view::npos && found < at)) continue;
    at = found;
    length = command.size();
  }
  if (at == std::string_view::npos) return text;
  std::string_view rest = text.substr(at + length);
  const std::size_t open = rest.find_first_not_of(" \t\n");
  if (open == std::string_view::npos) return text;
  if (rest[open] != '{') return rest.substr(open, rest.find_first_of(" $", open) - open);
  rest.remove_prefix(open + 1);
  int depth = 1;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == '{') ++depth;
    if (rest[i] == '}' && --depth == 0) return rest.substr(0, i);
  }
  return text;  // never closed
}

MathAnswer MathAnswer::parse(std::string_view text) {
  MathAnswer answer;
  text = trim(unboxed(text));
  while (!text.empty() && (text.back() == '.' || text.back() == '*' || text.back() == '`'))
    text.remove_suffix(1);
  while (!text.empty() && (text.front() == '*' || text.front() == '`')) text.remove_prefix(1);
  if (text.size() > kMaxMathBytes) {
    answer.value_ = std::make_shared<MathValue>(words(text));
    return answer;
  }
  std::vector<MathToken> tokens = with_thousands(tokenize_math(trim(text)));
  for (MathToken& token : tokens) {
    // Sizes of one thing.
    if (is_command(token, "dfrac") || is_command(token, "tfrac") || is_command(token, "cfrac"))
      token.text = "frac";
    answer.notation_.append(token.text).push_back('\x1F');
  }
  answer.value_ = std::make_shared<MathValue>(Reader().read(tokens));
  return answer;
}

bool MathAnswer::empty() const {
  return value_ == nullptr || (value_->kind == Kind::kWords && value_->text.empty());
}

std::optional<Rational> MathAnswer::number() const {
  if (value_ == nullptr || value_->kind != Kind::kNumber) return std::nullopt;
  if (!is_written_number(*value_->expression)) return std::nullopt;
  Work work;
  return exact_value(*value_->expression, work);
}

bool MathAnswer::is_near(const MathAnswer& given, const Rational& absolute,
                         const Rational& relative) const {
  if (empty() || given.empty()) return false;
  Work work;
  return near(*value_, *given.value_, absolute, relative, work) && !work.exhausted();
}

MathComparison MathAnswer::compare(const MathAnswer& given) const {
  MathComparison result;
  if (empty() || given.empty()) return result;
  Work work;
  result.equal = is_same_choice(*value_, *given.value_) || same(*value_, *given.value_, work) ||
                 same(with_intervals(*value_), with_intervals(*given.value_), work);
  result.work = work.used();
  result.ground = work.ground();
  result.undecided = work.undecided();
  result.exhausted = work.exhausted();
  if (result.exhausted) result.equal = false;
  if (!result.equal && !notation_.empty() && notation_ == given.notation_)
    return {.equal = true, .ground = Ground::kText, .work = result.work};
  return result;
}

}  // namespace redqueen::data_sets
