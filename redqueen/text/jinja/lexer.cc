#include "redqueen/text/jinja/lexer.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "redqueen/base/ascii.h"
#include "redqueen/text/utf8.h"

namespace redqueen::jinja {
namespace {

bool is_space(Character c) {
  return (c.code >= 0x1C && c.code <= 0x1F) || (c.code >= 0 && u_isUWhiteSpace(c.code));
}

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Line ends become \n and the last one goes, as Jinja does with a source.
std::string normalise_lines(std::string_view source) {
  std::string result;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      result += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      result += source[i];
    }
  }
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  Expected<std::vector<TemplateToken>> run() {
    while (position_ < source_.size()) {
      const std::size_t tag = find_tag();
      add_text(tag);
      if (tag == std::string::npos) break;
      const bool block = source_[tag + 1] == '%';
      Status status = source_[tag + 1] == '#'       ? skip_comment()
                      : block && is_tag("raw", "-") ? lex_raw()
                                                    : lex_tag(block);
      if (!status) return tl::make_unexpected(status.error());
    }
    add(TemplateTokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  // Where the next {{, {% or {# is.
  std::size_t find_tag() const {
    for (std::size_t i = source_.find('{', position_); i != std::string::npos;
         i = source_.find('{', i + 1)) {
      if (i + 1 < source_.size() &&
          std::string_view("{%#").find(source_[i + 1]) != std::string::npos)
        return i;
    }
    return std::string::npos;
  }

  // Hands out the text up to the tag, less the white space that the tag takes away, and enters the
  // tag.
  void add_text(std::size_t tag) {
    const bool at_end = tag == std::string::npos;
    const bool line_starts = position_ == 0 || source_[position_ - 1] == '\n';
    std::string_view text =
        std::string_view(source_).substr(position_, at_end ? std::string::npos : tag - position_);
    const std::size_t whole = text.size();
    const char sign = at_end || tag + 2 >= source_.size() ? ' ' : source_[tag + 2];
    if (!at_end && sign == '-') {
      while (const std::size_t length = space_at_end(text)) text.remove_suffix(length);
    } else if (!at_end && sign != '+' && source_[tag + 1] != '{') {
      const std::size_t line_end = text.rfind('\n');
      const std::size_t line = line_end == std::string_view::npos ? 0 : line_end + 1;
      std::string_view indent = text.substr(line);
      while (const std::size_t length = space_at_begin(indent)) indent.remove_prefix(length);
      if (indent.empty() && (line > 0 || line_starts)) text = text.substr(0, line);
    }
    if (!text.empty()) add(TemplateTokenKind::kText, std::string(text));
    advance(whole);
    if (at_end) return;
    tag_line_ = line_;
    advance(sign == '-' || (sign == '+' && source_[tag + 1] != '{') ? 3 : 2);
  }

  // Whether the tag that was entered has this name and no more, and ends plainly or with one of
  // `signs`.
  bool is_tag(std::string_view name, std::string_view signs) const {
    std::string_view tag = rest();
    while (const std::size_t length = space_at_begin(tag)) tag.remove_prefix(length);
    if (!tag.starts_with(name)) return false;
    tag.remove_prefix(name.size());
    while (const std::size_t length = space_at_begin(tag)) tag.remove_prefix(length);
    if (!tag.empty() && signs.find(tag[0]) != std::string_view::npos) tag.remove_prefix(1);
    return tag.starts_with("%}");
  }

  // Leaves a tag that is_tag() found. `trims`: the line end behind it goes, too.
  void leave_named_tag(bool trims) {
    const std::size_t end = source_.find("%}", position_);
    const char sign = source_[end - 1];
    advance(end + 2 - position_);
    leave_tag(sign, trims);
  }

  // After {%: what stands before {% endraw %} is text. Jinja leaves the line end behind {% raw %}.
  Status lex_raw() {
    const int begin_line = tag_line_;
    leave_named_tag(/*trims=*/false);
    for (std::size_t tag = source_.find("{%", position_); tag != std::string::npos;
         tag = source_.find("{%", tag + 1)) {
      const std::size_t before = std::exchange(position_, tag + 2);
      if (!rest().empty() && (rest()[0] == '-' || rest()[0] == '+')) ++position_;
      const bool ends = is_tag("endraw", "-+");
      position_ = before;
      if (!ends) continue;
      add_text(tag);
      leave_named_tag(/*trims=*/true);
      return {};
    }
    return failure("line {}: raw has no endraw", begin_line);
  }

  Status skip_comment() {
    const std::size_t end = source_.find("#}", position_);
    if (end == std::string::npos) return failure("line {}: the comment has no end", tag_line_);
    const char sign = end > position_ ? source_[end - 1] : ' ';
    advance(end + 2 - position_);
    leave_tag(sign, true);
    return {};
  }

  void leave_tag(char sign, bool block) {
    if (sign == '-') {
      while (const std::size_t length = space_at_begin(rest())) advance(length);
    } else if (block && sign != '+' && rest().starts_with('\n')) {
      advance(1);
    }
  }

  Status lex_tag(bool block) {
    using enum TemplateTokenKind;
    const int begin_line = tag_line_;
    add(block ? kBlockBegin : kOutputBegin, "");
    const std::string_view end = block ? "%}" : "}}";
    int open = 0;  // brackets: a dictionary may end in }}
    while (true) {
      while (const std::size_t length = space_at_begin(rest())) advance(length);
      if (rest().empty()) {
        return failure("line {}: the tag that begins here has no end", begin_line);
      }
      const char sign = rest()[0];
      const bool signed_end =
          (sign == '-' || (block && sign == '+')) && rest().substr(1).starts_with(end);
      if (open == 0 && (signed_end || rest().starts_with(end))) {
        advance(signed_end ? 3 : 2);
        add(block ? kBlockEnd : kOutputEnd, "");
        leave_tag(signed_end ? sign : ' ', block);
        return {};
      }
      if (Status status = lex_token(open); !status) return status;
    }
  }

  Status lex_token(int& open) {
    const char c = rest()[0];
    if (c == '"' || c == '\'') return lex_string(c);
    if (is_ascii_digit(c)) return lex_number();
    if (is_name_start(c)) {
      std::size_t length = 1;
      while (length < rest().size() &&
             (is_name_start(rest()[length]) || is_ascii_digit(rest()[length])))
        ++length;
      add(TemplateTokenKind::kName, std::string(rest().substr(0, length)));
      advance(length);
      return {};
    }
    static constexpr std::array<std::string_view, 27> kOperators = {
        "//", "**", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", "~", "<", ">",
        "=",  "|",  ".",  ",",  ":",  "(",  ")", "[", "]", "{", "}", ";", "!"};
    for (const std::string_view op : kOperators) {
      if (!rest().starts_with(op)) continue;
      if (op == "(" || op == "[" || op == "{") ++open;
      if ((op == ")" || op == "]" || op == "}") && --open < 0) {
        return failure("line {}: {} closes nothing", line_, op);
      }
      add(TemplateTokenKind::kOperator, std::string(op));
      advance(op.size());
      return {};
    }
    return failure("line {}: {:?} cannot be read", line_, std::string(1, c));
  }

  Status lex_number() {
    std::size_t length = 0;
    const auto digits = [&] {
      while (length < rest().size() && (is_ascii_digit(rest()[length]) || rest()[length] == '_'))
        ++length;
    };
    digits();
    bool real = false;
    const auto digit_at = [&](std::size_t i) {
      return i < rest().size() && is_ascii_digit(rest()[i]);
    };
    if (rest().substr(length).starts_with('.') && digit_at(length + 1)) {
      real = true;
      ++length;
      digits();
    }
    if (length < rest().size() && (rest()[length] == 'e' || rest()[length] == 'E')) {
      const bool sign =
          length + 1 < rest().size() && (rest()[length + 1] == '+' || rest()[length + 1] == '-');
      if (digit_at(length + (sign ? 2 : 1))) {
        real = true;
        length += sign ? 2 : 1;
        digits();
      }
    }
    std::string text(rest().substr(0, length));
    std::erase(text, '_');
    add(real ? TemplateTokenKind::kFloat : TemplateTokenKind::kInteger, std::move(text));
    advance(length);
    return {};
  }

  Status lex_string(char quote) {
    const int begin_line = line_;
    advance(1);
    std::string text;
    while (!rest().empty() && rest()[0] != quote) {
      if (rest()[0] != '\\') {
        text += rest()[0];
        advance(1);
        continue;
      }
      advance(1);
      if (rest().empty()) break;
      if (Status status = lex_escape(text); !status) return status;
    }
    if (rest().empty()) return failure("line {}: the text in quotes has no end", begin_line);
    advance(1);
    add(TemplateTokenKind::kString, std::move(text));
    return {};
  }

  // After the backslash, as in Python.
  Status lex_escape(std::string& text) {
    static constexpr std::string_view kLetters = "ntrabfv0\\'\"";
    static constexpr std::string_view kMeanings("\n\t\r\a\b\f\v\0\\'\"", 11);
    const char c = rest()[0];
    advance(1);
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits > 0) {
      std::int32_t code = 0;
      for (std::size_t i = 0; i < digits; ++i) {
        if (rest().empty() || std::isxdigit(static_cast<unsigned char>(rest()[0])) == 0) {
          return failure("line {}: \\{} needs {} hexadecimal digits", line_, c, digits);
        }
        const char digit = rest()[0];
        code = code * 16 + (is_ascii_digit(digit) ? digit - '0' : (digit | 0x20) - 'a' + 10);
        if (code > 0x10FFFF) return failure("line {}: \\U is beyond Unicode", line_);
        advance(1);
      }
      append_utf8(text, code);
      return {};
    }
    const std::size_t known = kLetters.find(c);
    if (c == '\n') return {};  // a line continued
    if (known == std::string_view::npos) text += '\\';
    text += known == std::string_view::npos ? c : kMeanings[known];
    return {};
  }

  std::string_view rest() const { return std::string_view(source_).substr(position_); }

  void advance(std::size_t count) {
    line_ += static_cast<int>(
        std::count(source_.begin() + static_cast<std::ptrdiff_t>(position_),
                   source_.begin() + static_cast<std::ptrdiff_t>(position_ + count), '\n'));
    position_ += count;
  }

  void add(TemplateTokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), line_});
  }

  std::string source_;
  std::size_t position_ = 0;
  int line_ = 1;
  int tag_line_ = 1;
  std::vector<TemplateToken> tokens_;
};

}  // namespace

std::size_t space_at_begin(std::string_view text) {
  const Character c = first_character(text);
  return is_space(c) ? c.size : 0;
}

std::size_t space_at_end(std::string_view text) {
  const Character c = last_character(text);
  return is_space(c) ? c.size : 0;
}

Expected<std::vector<TemplateToken>> lex_template(std::string_view source) {
  return Lexer(normalise_lines(source)).run();
}

}  // namespace redqueen::jinja
