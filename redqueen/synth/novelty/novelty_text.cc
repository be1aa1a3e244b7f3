#include "redqueen/synth/novelty/novelty_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "redqueen/base/ascii.h"

namespace redqueen::synth {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_name_part(char c) { return is_name_start(c) || is_ascii_digit(c); }

// The length of a string literal's prefix (r, b, f, u and their pairs) if a quote follows it, else
// nothing.
std::optional<std::size_t> string_prefix(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && length < 3 && text[length] != '\'' && text[length] != '"') {
    if (std::string_view("rbfu").find(ascii_lower(text[length])) == std::string_view::npos)
      return {};
    ++length;
  }
  if (length > 2 || length >= text.size() || (text[length] != '\'' && text[length] != '"')) {
    return {};
  }
  return length;
}

// The length of the string literal at the beginning of `text`, whose prefix is known. One that is
// not closed ends with its line, a long one with the text.
std::size_t string_length(std::string_view text, std::size_t prefix) {
  const char quote = text[prefix];
  const bool is_long =
      text.size() >= prefix + 3 && text[prefix + 1] == quote && text[prefix + 2] == quote;
  std::size_t i = prefix + (is_long ? 3 : 1);
  for (; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (!is_long && text[i] == '\n') {
      return i;
    } else if (text[i] == quote) {
      if (!is_long) return i + 1;
      if (text.substr(i).size() >= 3 && text[i + 1] == quote && text[i + 2] == quote) return i + 3;
    }
  }
  return text.size();
}

std::size_t number_length(std::string_view text) {
  const bool is_based =
      text.size() > 1 && text[0] == '0' &&
      std::string_view("xob").find(ascii_lower(text[1])) != std::string_view::npos;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool is_sign = !is_based && i > 0 && (text[i] == '+' || text[i] == '-') &&
                         ascii_lower(text[i - 1]) == 'e' && i + 1 < text.size() &&
                         is_ascii_digit(text[i + 1]);
    if (!is_name_part(text[i]) && text[i] != '.' && !is_sign) break;
    ++i;
  }
  return i;
}

std::size_t operator_length(std::string_view text) {
  static constexpr std::array<std::string_view, 25> kLong{
      "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==", "!=",
      "->",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "@=", ":=", "<>"};
  for (const std::string_view candidate : kLong) {
    if (text.starts_with(candidate)) return candidate.size();
  }
  return 1;
}

// Walks over a source once.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<PythonLine> run() {
    while (at_ < source_.size()) step();
    end_line();
    return std::move(lines_);
  }

 private:
  void step() {
    const char c = source_[at_];
    if (c == '\n') {
      ++number_;
      ++at_;
      if (depth_ == 0) end_line();
    } else if (c == '#') {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (c == '\\' && at_ + 1 < source_.size() && is_line_end(at_ + 1)) {
      at_ = source_.find('\n', at_) + 1;
      ++number_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
      if (line_.tokens.empty() && depth_ == 0) widen(c);
      ++at_;
    } else {
      token();
    }
  }

  // Whether a line ends at `i`, be it with "\n" or "\r\n".
  bool is_line_end(std::size_t i) const {
    return source_[i] == '\n' || source_.substr(i).starts_with("\r\n");
  }

  void widen(char c) {
    if (c == ' ') ++line_.indent;
    if (c == '\t') line_.indent = line_.indent / 8 * 8 + 8;
    if (c == '\f') line_.indent = 0;
  }

  void token() {
    const std::string_view rest = source_.substr(at_);
    PythonToken token;
    std::size_t length = 0;
    if (const auto prefix = string_prefix(rest)) {
      token.kind = PythonTokenKind::kString;
      length = string_length(rest, *prefix);
    } else if (is_name_start(rest[0])) {
      token.kind = PythonTokenKind::kName;
      while (length < rest.size() && is_name_part(rest[length])) ++length;
    } else if (is_ascii_digit(rest[0]) ||
               (rest[0] == '.' && rest.size() > 1 && is_ascii_digit(rest[1]))) {
      token.kind = PythonTokenKind::kNumber;
      length = number_length(rest);
    } else {
      length = operator_length(rest);
      if (std::string_view("([{").find(rest[0]) != std::string_view::npos) ++depth_;
      if (std::string_view(")]}").find(rest[0]) != std::string_view::npos && depth_ > 0) --depth_;
    }
    token.text = rest.substr(0, length);
    if (line_.tokens.empty()) line_.number = number_;
    line_.tokens.push_back(token);
    number_ += static_cast<std::size_t>(std::count(token.text.begin(), token.text.end(), '\n'));
    at_ += length;
  }

  void end_line() {
    if (!line_.tokens.empty()) lines_.push_back(std::move(line_));
    line_ = {};
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t number_ = 1;  // of the file's line at at_
  std::size_t depth_ = 0;   // of open brackets
  PythonLine line_;
  std::vector<PythonLine> lines_;
};

void append_character(std::string& text, std::uint32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  static constexpr std::array<std::uint32_t, 4> kLead{0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
}

// Reads up to `most` digits of a base and moves past them; nothing if there is not one.
std::optional<std::uint32_t> read_digits(std::string_view& text, int base, std::size_t most) {
  std::uint32_t value = 0;
  std::size_t count = 0;
  while (count < most && count < text.size()) {
    const char c = ascii_lower(text[count]);
    const int digit = is_ascii_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
    if (digit >= base) break;
    value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
    ++count;
  }
  text.remove_prefix(count);
  return count > 0 ? std::optional(value) : std::nullopt;
}

// Appends what an escape stands for and moves past it. `text` begins after the backslash.
void append_escape(std::string& value, std::string_view& text) {
  static constexpr std::string_view kLetters = "abfnrtv\\'\"";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const char c = text[0];
  if (const auto found = kLetters.find(c); found != std::string_view::npos) {
    value += kMeanings[found];
    text.remove_prefix(1);
  } else if (c == '\n') {
    text.remove_prefix(1);
  } else if (c >= '0' && c <= '7') {
    append_character(value, *read_digits(text, 8, 3));
  } else if (c == 'x' || c == 'u' || c == 'U') {
    text.remove_prefix(1);
    const auto number = read_digits(text, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    append_character(value, number.value_or(0xFFFD));
  } else {
    value += '\\';  // no escape: both characters stand for themselves
  }
}

bool is_name(const PythonToken& token, std::string_view name) {
  return token.kind == PythonTokenKind::kName && token.text == name;
}

bool is_operator(const PythonToken& token, std::string_view text) {
  return token.kind == PythonTokenKind::kOperator && token.text == text;
}

// Whether a line opens the function `name`.
bool opens_function(const PythonLine& line, std::string_view name) {
  const std::size_t at = is_name(line.tokens[0], "async") ? 1 : 0;
  return line.tokens.size() > at + 1 && is_name(line.tokens[at], "def") &&
         is_name(line.tokens[at + 1], name);
}

// The lines of the block that lines[head] opens on lines of its own: [head + 1, end).
std::size_t block_end(const std::vector<PythonLine>& lines, std::size_t head) {
  std::size_t end = head + 1;
  while (end < lines.size() && lines[end].indent > lines[head].indent) ++end;
  return end;
}

// The lines within the class that derives from VerifiableEnvironment; all if there is none.
std::span<const PythonLine> environment_class(const std::vector<PythonLine>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& tokens = lines[i].tokens;
    const bool derives = is_name(tokens[0], "class") &&
                         std::any_of(tokens.begin() + 1, tokens.end(),
                                     [](auto& t) { return is_name(t, "VerifiableEnvironment"); });
    if (derives) return std::span(lines).subspan(i + 1, block_end(lines, i) - i - 1);
  }
  return lines;
}

// Where the statement after a header's colon begins; the number of tokens if nothing follows.
std::size_t after_colon(const PythonLine& line) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < line.tokens.size(); ++i) {
    const PythonToken& token = line.tokens[i];
    if (token.kind != PythonTokenKind::kOperator) continue;
    if (token.text == "(" || token.text == "[" || token.text == "{") ++depth;
    if (token.text == ")" || token.text == "]" || token.text == "}") --depth;
    if (token.text == ":" && depth == 0) return i + 1;
  }
  return line.tokens.size();
}

// Appends a statement of the tokens given, unless it is a string that nobody reads.
void append_statement(std::string& body, std::span<const PythonToken> tokens) {
  const bool is_docstring = std::all_of(tokens.begin(), tokens.end(), [](const PythonToken& token) {
    return token.kind == PythonTokenKind::kString;
  });
  if (is_docstring) return;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) body += ' ';
    body += tokens[i].text;
  }
  body += '\n';
}

// Appends the statements of a line, from token `first`: semicolons outside brackets part them.
void append_statements(std::string& body, const PythonLine& line, std::size_t first) {
  const std::span<const PythonToken> tokens(line.tokens);
  for (std::size_t begin = first; begin < tokens.size();) {
    std::size_t end = begin;
    while (end < tokens.size() && !is_operator(tokens[end], ";")) ++end;
    append_statement(body, tokens.subspan(begin, end - begin));
    begin = end + 1;
  }
}

// The lines of a function's block; none if it has none of its own.
std::string body_of(std::span<const PythonLine> lines, std::size_t head) {
  std::string body;
  const std::size_t inlined = after_colon(lines[head]);
  append_statements(body, lines[head], inlined);
  if (inlined < lines[head].tokens.size()) return body;
  for (std::size_t i = head + 1; i < lines.size() && lines[i].indent > lines[head].indent; ++i) {
    append_statements(body, lines[i], 0);
  }
  return body;
}

std::optional<std::string> find_body(std::span<const PythonLine> lines, std::string_view name) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (opens_function(lines[i], name)) return body_of(lines, i);
  }
  return std::nullopt;
}

// The string literals of the assignment to prompt_template, joined.
std::optional<std::string> find_template(std::span<const PythonLine> lines) {
  for (const PythonLine& line : lines) {
    if (!is_name(line.tokens[0], "prompt_template")) continue;
    std::string text;
    for (const PythonToken& token : line.tokens) {
      if (token.kind == PythonTokenKind::kString) text += python_string_value(token.text);
    }
    return text;
  }
  return std::nullopt;
}

std::string strings_of(std::string_view source) {
  std::string text;
  for (const PythonLine& line : python_lines(source)) {
    for (const PythonToken& token : line.tokens) {
      if (token.kind == PythonTokenKind::kString) text += python_string_value(token.text);
    }
  }
  return text;
}

}  // namespace

std::vector<PythonLine> python_lines(std::string_view source) {
  if (source.starts_with("\xEF\xBB\xBF")) source.remove_prefix(3);
  return Lexer(source).run();
}

std::string python_string_value(std::string_view literal) {
  const std::size_t prefix = string_prefix(literal).value_or(0);
  const std::string_view letters = literal.substr(0, prefix);
  const bool is_raw = std::any_of(letters.begin(), letters.end(),
                                  [](char letter) { return ascii_lower(letter) == 'r'; });
  std::string_view text = literal.substr(prefix);
  const std::string_view three = text.substr(0, 3);
  const bool is_long = three == R"(""")" || three == "'''";
  const std::string_view quote = text.substr(0, is_long ? 3 : 1);
  text.remove_prefix(quote.size());
  if (text.ends_with(quote)) text.remove_suffix(quote.size());
  if (is_raw) return std::string(text);
  std::string value;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '\\' && !text.empty()) {
      append_escape(value, text);
    } else {
      value += c;
    }
  }
  return value;
}

std::string cleaned_body(std::string_view source, std::string_view name) {
  const std::vector<PythonLine> lines = python_lines(source);
  if (auto body = find_body(environment_class(lines), name)) return *std::move(body);
  return find_body(lines, name).value_or("");
}

NoveltyText novelty_text(std::string_view source) {
  const std::vector<PythonLine> lines = python_lines(source);
  auto text = find_template(environment_class(lines));
  if (!text) text = find_template(lines);
  if (!text) text = strings_of(cleaned_body(source, "_prompt_generate"));
  return {.prompt = std::move(text).value_or(""), .code = cleaned_body(source, "_generate")};
}

}  // namespace redqueen::synth
