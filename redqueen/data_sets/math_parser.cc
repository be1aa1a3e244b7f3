#include "redqueen/data_sets/math_parser.h"

#include <algorithm>
#include <array>
#include <optional>

namespace redqueen::data_sets {
namespace {

using TokenKind = MathToken::Kind;

constexpr int kMaxDepth = 100;
constexpr std::array<std::string_view, 17> kFunctions{
    "sin",  "cos",  "tan",  "cot", "sec", "csc", "arcsin", "arccos", "arctan",
    "sinh", "cosh", "tanh", "exp", "ln",  "log", "lg",     "sqrt"};

bool is_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != kFunctions.end();
}

class Parser {
 public:
  explicit Parser(std::span<const MathToken> tokens) : tokens_(tokens) {}

  ExpressionPtr run() {
    ExpressionPtr result = content();
    return result && at_ == tokens_.size() ? result : nullptr;
  }

 private:
  // --- tokens -----------------------------------------------------------------------------------

  const MathToken* peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? &tokens_[at_ + ahead] : nullptr;
  }
  bool is(TokenKind kind, std::string_view text, std::size_t ahead = 0) const {
    const MathToken* token = peek(ahead);
    return token != nullptr && token->kind == kind && token->text == text;
  }
  bool is_sign(std::string_view text, std::size_t ahead = 0) const {
    return is(TokenKind::kSign, text, ahead);
  }
  bool is_command(std::string_view text) const { return is(TokenKind::kCommand, text); }
  bool take_sign(std::string_view text) {
    if (!is_sign(text)) return false;
    ++at_;
    return true;
  }
  bool take_command(std::string_view text) {
    if (!is_command(text)) return false;
    ++at_;
    return true;
  }

  // --- grammar ----------------------------------------------------------------------------------

  ExpressionPtr expression() {
    if (++depth_ > kMaxDepth) return nullptr;
    std::vector<ExpressionPtr> terms;
    bool minus = false;
    while (true) {
      ExpressionPtr next = term();
      if (!next) return nullptr;
      terms.push_back(minus ? negated(std::move(next)) : std::move(next));
      if (take_sign("+")) {
        minus = false;
      } else if (take_sign("-")) {
        minus = true;
      } else {
        --depth_;
        return sum(std::move(terms));
      }
    }
  }

  // Reads what stands in braces or alone: an expression, a \over b, n \choose k.
  ExpressionPtr content() {
    ExpressionPtr above = expression();
    const bool over = above && take_command("over");
    if (!over && !(above && take_command("choose"))) return above;
    ExpressionPtr below = expression();
    if (!below) return nullptr;
    return over ? quotient(std::move(above), std::move(below))
                : function("binomial", {std::move(above), std::move(below)});
  }

  ExpressionPtr term() {
    ExpressionPtr result = signed_power();
    while (result) {
      bool divide = false;
      if (take_sign("*") || take_command("cdot") || take_command("times")) {
        if (take_sign("*")) {  // Python's power
          ExpressionPtr exponent = signed_power();
          if (!exponent) return nullptr;
          result = power(std::move(result), std::move(exponent));
          continue;
        }
      } else if (take_sign("/") || take_command("div")) {
        divide = true;
      } else if (!begins_factor()) {
        return result;
      } else {
        ExpressionPtr factor = raised();
        if (!factor) return nullptr;
        result = product({std::move(result), std::move(factor)});
        continue;
      }
      ExpressionPtr factor = signed_power();
      if (!factor) return nullptr;
      result = divide ? quotient(std::move(result), std::move(factor))
                      : product({std::move(result), std::move(factor)});
    }
    return nullptr;
  }

  ExpressionPtr signed_power() {
    bool minus = false;
    while (is_sign("-") || is_sign("+")) {
      if (is_sign("-")) minus = !minus;
      ++at_;
    }
    ExpressionPtr result = raised();
    if (!result) return nullptr;
    return minus ? negated(std::move(result)) : result;
  }

  // Whether a factor may follow without a sign of multiplication.
  bool begins_factor() const {
    const MathToken* token = peek();
    if (token == nullptr) return false;
    if (token->kind == TokenKind::kNumber)
      return at_ > 0 && tokens_[at_ - 1].kind != TokenKind::kNumber;
    if (token->kind == TokenKind::kWord) return true;
    if (token->kind == TokenKind::kSign) return token->text == "(" || token->text == "{";
    if (token->kind == TokenKind::kText) return false;
    static constexpr std::array<std::string_view, 12> kOthers{"frac",   "dfrac", "tfrac", "cfrac",
                                                              "sqrt",   "pi",    "binom", "dbinom",
                                                              "lfloor", "lceil", "infty", "lvert"};
    return std::ranges::find(kOthers, token->text) != kOthers.end() || is_function(token->text) ||
           is_greek(token->text);
  }

  static bool is_greek(std::string_view name) {
    static constexpr std::array<std::string_view, 20> kGreek{
        "alpha", "beta", "gamma", "delta",  "epsilon", "theta", "lambda", "mu",    "nu",   "rho",
        "sigma", "tau",  "phi",   "varphi", "omega",   "Omega", "Delta",  "Gamma", "zeta", "ell"};
    return std::ranges::find(kGreek, name) != kGreek.end();
  }

  ExpressionPtr raised() {
    ExpressionPtr base = postfix();
    if (!base) return nullptr;
    if (is_sign("*") && is_sign("*", 1) && !peek(1)->space) {
      at_ += 2;
      ExpressionPtr exponent = signed_power();
      return exponent ? power(std::move(base), std::move(exponent)) : nullptr;
    }
    if (!take_sign("^")) return base;
    if (take_command("circ")) return degrees(std::move(base));
    if (is_sign("{") && is(TokenKind::kCommand, "circ", 1) && is_sign("}", 2)) {
      at_ += 3;
      return degrees(std::move(base));
    }
    ExpressionPtr exponent = exponent_of();
    return exponent ? power(std::move(base), std::move(exponent)) : nullptr;
  }

  static ExpressionPtr degrees(ExpressionPtr value) {
    return product({std::move(value), constant("pi"), number(Rational(1, 180))});
  }

  // What stands behind ^: a group, or one token; a number whole, as plain text means it.
  ExpressionPtr exponent_of() {
    if (take_sign("-")) {
      ExpressionPtr value = exponent_of();
      return value ? negated(std::move(value)) : nullptr;
    }
    ExpressionPtr value = primary();
    if (value && take_sign("^")) {
      ExpressionPtr upper = exponent_of();
      return upper ? power(std::move(value), std::move(upper)) : nullptr;
    }
    return value;
  }

  ExpressionPtr postfix() {
    ExpressionPtr value = primary();
    while (value && take_sign("!")) value = function("factorial", {std::move(value)});
    return value;
  }

  ExpressionPtr closed_by(ExpressionPtr value, std::string_view sign) {
    return value && take_sign(sign) ? value : nullptr;
  }

  // An argument of a command: a group, or one token; of a number its first digit only (\frac12).
  ExpressionPtr argument() {
    if (take_sign("{")) return closed_by(content(), "}");
    const MathToken* token = peek();
    if (token == nullptr) return nullptr;
    if (token->kind == TokenKind::kNumber && token->text.size() > 1 && digits_taken_ == 0 &&
        token->text.find('.') == std::string::npos) {
      digits_taken_ = 1;
      return number(token->text[0] - '0');
    }
    if (digits_taken_ > 0) {
      const std::string rest = token->text.substr(digits_taken_);
      digits_taken_ = 0;
      ++at_;
      if (rest.size() != 1) return nullptr;  // \frac123 says nothing for sure
      return number(rest[0] - '0');
    }
    return primary();
  }

  ExpressionPtr fraction() {
    ExpressionPtr above = argument();
    ExpressionPtr below = above ? argument() : nullptr;
    if (digits_taken_ > 0) return nullptr;
    return below ? quotient(std::move(above), std::move(below)) : nullptr;
  }

  ExpressionPtr root() {
    ExpressionPtr degree;
    if (take_sign("[")) {
      degree = closed_by(expression(), "]");
      if (!degree) return nullptr;
    }
    ExpressionPtr radicand = argument();
    if (digits_taken_ > 0) {  // √12 in plain text is the root of all of it
      radicand = number(number_of(*peek()));
      digits_taken_ = 0;
      ++at_;
    }
    if (!radicand) return nullptr;
    if (!degree) return function("sqrt", {std::move(radicand)});
    return function("root", {std::move(radicand), std::move(degree)});
  }

  // sin x, sin(x), sin² x, log_2 8.
  ExpressionPtr application(std::string name) {
    ExpressionPtr base;
    ExpressionPtr exponent;
    if (name == "lg") {
      name = "log";
      base = number(10);
    }
    if (take_sign("_")) base = primary();
    if (take_sign("^")) {
      exponent = exponent_of();
      if (!exponent) return nullptr;
    }
    ExpressionPtr value;
    if (is_sign("(") || is_sign("{") || is_sign("[")) {
      value = primary();
    } else {
      value = raised();
      while (value && begins_factor() && !is_sign("(") && !next_is_function()) {
        ExpressionPtr factor = raised();
        if (!factor) return nullptr;
        value = product({std::move(value), std::move(factor)});
      }
    }
    if (!value) return nullptr;
    if (name == "log") return wrap(exponent, function("log", {value, base ? base : number(10)}));
    if (exponent && exponent->kind == Expression::Kind::kProduct) {  // sin⁻¹
      for (const std::string_view circular : {"sin", "cos", "tan"}) {
        if (name == circular && is_minus_one(*exponent))
          return function("arc" + name, {std::move(value)});
      }
    }
    return wrap(exponent, function(std::move(name), {std::move(value)}));
  }

  static ExpressionPtr wrap(const ExpressionPtr& exponent, ExpressionPtr value) {
    return exponent ? power(std::move(value), exponent) : value;
  }

  // True for "-1" as it is read: −1 · 1.
  static bool is_minus_one(const Expression& e) {
    return e.kind == Expression::Kind::kProduct && e.parts.size() == 2 &&
           std::ranges::all_of(
               e.parts,
               [](const ExpressionPtr& part) { return part->kind == Expression::Kind::kNumber; }) &&
           e.parts[0]->value * e.parts[1]->value == -1;
  }

  bool next_is_function() const {
    const MathToken* token = peek();
    return token != nullptr &&
           (token->kind == TokenKind::kWord || token->kind == TokenKind::kCommand) &&
           is_function(token->text);
  }

  ExpressionPtr primary() {
    if (++depth_ > kMaxDepth) return nullptr;
    ExpressionPtr value = primary_here();
    --depth_;
    return value;
  }

  ExpressionPtr primary_here() {
    const MathToken* token = peek();
    if (token == nullptr) return nullptr;
    ++at_;
    if (token->kind == TokenKind::kNumber) return mixed(*token);
    if (token->kind == TokenKind::kWord) return word(*token);
    if (token->kind == TokenKind::kCommand) return command(token->text);
    if (token->kind == TokenKind::kText) return nullptr;
    if (token->text == "(") return closed_by(expression(), ")");
    if (token->text == "[") return closed_by(expression(), "]");
    if (token->text == "{") return closed_by(content(), "}");
    if (token->text == "|") {
      ExpressionPtr inside = expression();
      return closed_by(inside ? function("abs", {std::move(inside)}) : nullptr, "|");
    }
    return nullptr;
  }

  // A number; 3\frac{1}{2} is 3 + 1/2, and 101_2 a number to a base, which equals only its like.
  ExpressionPtr mixed(const MathToken& token) {
    ExpressionPtr value = number(number_of(token));
    if (take_sign("_")) {
      ExpressionPtr base = primary();
      if (!base || base->kind != Expression::Kind::kNumber) return nullptr;
      return product({std::move(value), symbol("base " + base->value.str())});
    }
    const bool fraction_follows = is_command("frac") || is_command("dfrac") || is_command("tfrac");
    if (!fraction_follows || token.text.find('.') != std::string::npos) return value;
    ++at_;
    ExpressionPtr part = fraction();
    if (!part) return nullptr;
    const bool plain = part->parts[0]->kind == Expression::Kind::kNumber &&
                       part->parts[1]->parts[0]->kind == Expression::Kind::kNumber;
    return plain ? sum({std::move(value), std::move(part)})
                 : product({std::move(value), std::move(part)});
  }

  ExpressionPtr word(const MathToken& token) {
    const std::string& text = token.text;
    if (text == "pi") return constant("pi");
    if (text == "infinity" || text == "inf" || text == "oo") return constant("infinity");
    if (text == "sqrt") return root_of_word();
    if (is_function(text)) return application(text);
    if (text == "e" || text == "i") return constant(text);
    std::vector<ExpressionPtr> letters;
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string name(1, text[i]);
      if (name == "e" || name == "i") {
        letters.push_back(constant(name));
        continue;
      }
      if (i + 1 == text.size()) name += subscript();
      letters.push_back(symbol(std::move(name)));
    }
    return product(std::move(letters));
  }

  ExpressionPtr root_of_word() {
    ExpressionPtr value = primary();
    return value ? function("sqrt", {std::move(value)}) : nullptr;
  }

  // "_1", "_{n}": part of a symbol's name.
  std::string subscript() {
    if (!take_sign("_")) return {};
    std::string name = "_";
    int depth = 0;
    while (const MathToken* token = peek()) {
      ++at_;
      if (token->kind == TokenKind::kSign && token->text == "{") {
        ++depth;
      } else if (token->kind == TokenKind::kSign && token->text == "}") {
        --depth;
      } else {
        name += token->text;
      }
      if (depth <= 0) break;
    }
    return name;
  }

  ExpressionPtr command(const std::string& name) {
    if (name == "frac" || name == "dfrac" || name == "tfrac" || name == "cfrac") return fraction();
    if (name == "sqrt") return root();
    if (name == "pi") return constant("pi");
    if (name == "infty") return constant("infinity");
    if (name == "binom" || name == "dbinom" || name == "tbinom") {
      ExpressionPtr n = argument();
      ExpressionPtr k = n ? argument() : nullptr;
      return k ? function("binomial", {std::move(n), std::move(k)}) : nullptr;
    }
    if (name == "lfloor") return closed_by_command("floor", "rfloor");
    if (name == "lceil") return closed_by_command("ceil", "rceil");
    if (name == "lvert") return closed_by_command("abs", "rvert");
    if (is_function(name)) return application(name);
    if (is_greek(name)) return symbol("\\" + name + subscript());
    return nullptr;
  }

  ExpressionPtr closed_by_command(std::string name, std::string_view end) {
    ExpressionPtr inside = expression();
    if (!inside || !take_command(end)) return nullptr;
    return function(std::move(name), {std::move(inside)});
  }

  std::span<const MathToken> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t digits_taken_ = 0;  // of the number at at_, by \frac12
};

}  // namespace

ExpressionPtr parse_expression(std::span<const MathToken> tokens) { return Parser(tokens).run(); }

Rational number_of(const MathToken& token) {
  BigInt digits = 0;
  BigInt scale = 1;
  bool behind_point = false;
  for (const char c : token.text) {
    if (c == '.') {
      behind_point = true;
      continue;
    }
    digits = digits * 10 + (c - '0');
    if (behind_point) scale *= 10;
  }
  return {digits, scale};
}

bool is_mathematical_word(std::string_view word) {
  return is_function(word) || word == "pi" || word == "infinity" || word == "inf" || word == "oo";
}

}  // namespace redqueen::data_sets
