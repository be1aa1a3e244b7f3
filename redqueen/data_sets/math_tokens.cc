#include "redqueen/data_sets/math_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

#include "redqueen/base/ascii.h"

namespace redqueen::data_sets {
namespace {

using TokenKind = MathToken::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~'; }

// Commands that leave no trace.
constexpr std::array<std::string_view, 22> kLayout{
    "left",         "right",     "big",    "Big",  "bigl", "bigr", "Bigl", "Bigr",  "bigg",
    "Bigg",         ",",         ";",      ":",    "!",    " ",    "quad", "qquad", "limits",
    "displaystyle", "textstyle", "hspace", "boxed"};
// Commands whose argument is words.
constexpr std::array<std::string_view, 9> kTexts{
    "text", "textbf", "textit", "textrm", "mathrm", "mbox", "rm", "operatorname", "mathbf"};

// What stands for a character of UTF-8, as LaTeX.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kUnicode{{
    {"π", "\\pi "},    {"∞", "\\infty "},    {"√", "\\sqrt "},     {"×", "\\times "},
    {"·", "\\cdot "},  {"−", "-"},           {"–", "-"},           {"≤", "\\le "},
    {"≥", "\\ge "},    {"≠", "\\ne "},       {"∪", "\\cup "},      {"°", "^\\circ "},
    {"±", "\\pm "},    {"²", "^2"},          {"³", "^3"},          {"∈", "\\in "},
    {"÷", "/"},        {"½", "\\frac12"},    {"∅", "\\emptyset "}, {"θ", "\\theta "},
    {"α", "\\alpha "}, {"ℝ", "\\mathbb{R}"}, {"\xC2\xA0", " "},    {"\xE2\x80\xAF", " "},
}};

std::string without_unicode(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto* found = std::ranges::find_if(
        kUnicode, [&](const auto& pair) { return text.starts_with(pair.first); });
    if (found != kUnicode.end()) {
      result += found->second;
      text.remove_prefix(found->first.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

class Lexer {
 public:
  explicit Lexer(std::string text) : text_(std::move(text)) {}

  std::vector<MathToken> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) {
        space_ = true;
        ++at_;
      } else if (c == '\\') {
        command();
      } else if (is_ascii_digit(c) ||
                 (c == '.' && at_ + 1 < text_.size() && is_ascii_digit(text_[at_ + 1]))) {
        digits();
      } else if (is_letter(c)) {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
        add(TokenKind::kWord, text_.substr(begin, at_ - begin));
      } else {
        if (c != '$') add(TokenKind::kSign, std::string(1, c));
        ++at_;
      }
    }
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::string text) {
    tokens_.push_back({kind, std::move(text), space_});
    space_ = false;
  }

  void digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_ascii_digit(text_[at_])) ++at_;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_ascii_digit(text_[at_ + 1])) {
      ++at_;
      while (at_ < text_.size() && is_ascii_digit(text_[at_])) ++at_;
    }
    add(TokenKind::kNumber, text_.substr(begin, at_ - begin));
  }

  void command() {
    ++at_;
    if (at_ >= text_.size()) return;
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    if (end == at_) ++end;
    const std::string name = text_.substr(at_, end - at_);
    at_ = end;
    if (std::ranges::find(kTexts, name) != kTexts.end()) {
      add(TokenKind::kText, group());
    } else if (name == "(" || name == ")" || name == "[" || name == "]") {
      space_ = true;  // \( … \) only says that mathematics begins
    } else if (std::ranges::find(kLayout, name) == kLayout.end()) {
      add(TokenKind::kCommand, name == "\n" || name == "~" ? " " : name);
    } else {
      space_ = true;
      // "\left." is a bracket that is not drawn.
      if ((name == "left" || name == "right") && at_ < text_.size() && text_[at_] == '.') ++at_;
    }
  }

  // The content of the braces that follow, or one character.
  std::string group() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ >= text_.size()) return {};
    if (text_[at_] != '{') return {text_[at_++]};
    const std::size_t begin = ++at_;
    int depth = 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '{') ++depth;
      if (text_[at_] == '}' && --depth == 0) return text_.substr(begin, at_++ - begin);
      ++at_;
    }
    return text_.substr(begin);
  }

  std::string text_;
  std::size_t at_ = 0;
  bool space_ = false;
  std::vector<MathToken> tokens_;
};

}  // namespace

std::vector<MathToken> tokenize_math(std::string_view text) {
  return Lexer(without_unicode(text)).run();
}

}  // namespace redqueen::data_sets
