#include "redqueen/data_sets/math_tokens.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "redqueen/base/ascii.h"

namespace redqueen::data_sets {
namespace {

using TokenKind = MathToken::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~'; }

// Commands that leave no trace.
constexpr std::array<std::string_view, 21> kLayout{
    "left",   "right",        "big",       "Big",    "bigl", "bigr", "Bigl", "Bigr",
    "bigg",   "Bigg",         ",",         ";",      ":",    " ",    "quad", "qquad",
    "limits", "displaystyle", "textstyle", "hspace", "boxed"};
// Functions that people write upright by hand.
bool is_trigonometric(std::string_view name) {
  if (name.starts_with("arc")) name.remove_prefix(3);
  return name == "sin" || name == "cos" || name == "tan" || name == "cot" || name == "sec" ||
         name == "csc";
}

constexpr std::size_t kMaxMantissa = 1000;  // of scientific notation, in bytes
// Commands whose argument is words.
constexpr std::array<std::string_view, 9> kTexts{
    "text", "textbf", "textit", "textrm", "mathrm", "mbox", "rm", "operatorname", "mathbf"};

// LaTeX for characters of UTF-8.
constexpr std::array<std::pair<std::string_view, std::string_view>, 108> kUnicode{{
    {"π", "\\pi "},
    {"∞", "\\infty "},
    {"√", "\\sqrt "},
    {"×", "\\times "},
    {"·", "\\cdot "},
    {"⋅", "\\cdot "},
    {"∙", "\\cdot "},
    {"∗", "*"},
    {"−", "-"},
    {"–", "-"},
    {"‐", "-"},
    {"‑", "-"},
    {"‒", "-"},
    {"－", "-"},
    {"﹣", "-"},
    {"＋", "+"},
    {"＝", "="},
    {"（", "("},
    {"）", ")"},
    {"，", ","},
    {"．", "."},
    {"％", "%"},
    {"＄", "\\$ "},
    {"／", "/"},
    {"⁄", "/"},
    {"∕", "/"},
    {"≤", "\\le "},
    {"≥", "\\ge "},
    {"⩽", "\\le "},
    {"⩾", "\\ge "},
    {"≠", "\\ne "},
    {"∪", "\\cup "},
    {"°", "^\\circ "},
    {"±", "\\pm "},
    {"∈", "\\in "},
    {"÷", "/"},
    {"½", "\\frac{1}{2}"},
    {"⅓", "\\frac{1}{3}"},
    {"⅔", "\\frac{2}{3}"},
    {"¼", "\\frac{1}{4}"},
    {"¾", "\\frac{3}{4}"},
    {"⅕", "\\frac{1}{5}"},
    {"⅖", "\\frac{2}{5}"},
    {"⅗", "\\frac{3}{5}"},
    {"⅘", "\\frac{4}{5}"},
    {"⅙", "\\frac{1}{6}"},
    {"⅚", "\\frac{5}{6}"},
    {"⅛", "\\frac{1}{8}"},
    {"⅜", "\\frac{3}{8}"},
    {"⅝", "\\frac{5}{8}"},
    {"⅞", "\\frac{7}{8}"},
    {"∅", "\\emptyset "},
    {"α", "\\alpha "},
    {"β", "\\beta "},
    {"γ", "\\gamma "},
    {"δ", "\\delta "},
    {"ε", "\\epsilon "},
    {"θ", "\\theta "},
    {"λ", "\\lambda "},
    {"μ", "\\mu "},
    {"ν", "\\nu "},
    {"ρ", "\\rho "},
    {"σ", "\\sigma "},
    {"τ", "\\tau "},
    {"φ", "\\phi "},
    {"ω", "\\omega "},
    {"Ω", "\\Omega "},
    {"Δ", "\\Delta "},
    {"ζ", "\\zeta "},
    {"ℓ", "\\ell "},
    {"ℝ", "\\mathbb{R}"},
    {"⟨", "\\langle "},
    {"⟩", "\\rangle "},
    {"⌊", "\\lfloor "},
    {"⌋", "\\rfloor "},
    {"⌈", "\\lceil "},
    {"⌉", "\\rceil "},
    {"∣", "|"},
    {"′", "'"},
    {"€", "\\euro "},
    {"£", "\\pounds "},
    {"¥", "\\yen "},
    {"\xC2\xA0", " "},
    {"\xE2\x80\x82", " "},
    {"\xE2\x80\x83", " "},
    {"\xE2\x80\x84", " "},
    {"\xE2\x80\x85", " "},
    {"\xE2\x80\x86", " "},
    {"\xE2\x80\x87", " "},
    {"\xE2\x80\x88", " "},
    {"\xE2\x80\x89", " "},
    {"\xE2\x80\x8A", " "},
    {"\xE2\x80\xAF", " "},
    {"\xE2\x81\x9F", " "},
    {"\xE3\x80\x80", " "},
    {"\xE2\x80\x8B", ""},
    {"\xE2\x80\x8C", ""},
    {"\xE2\x80\x8D", ""},
    {"\xEF\xBB\xBF", ""},
    {"\xE2\x81\xA0", ""},
    {"＞", ">"},
    {"＜", "<"},
    {"［", "["},
    {"］", "]"},
    {"｛", "\\{"},
    {"｝", "\\}"},
    {"˙", "\\cdot "},
    {"µ", "\\mu "},
}};
constexpr std::array<std::pair<std::string_view, char>, 13> kSuperscripts{{
    {"⁰", '0'},
    {"¹", '1'},
    {"²", '2'},
    {"³", '3'},
    {"⁴", '4'},
    {"⁵", '5'},
    {"⁶", '6'},
    {"⁷", '7'},
    {"⁸", '8'},
    {"⁹", '9'},
    {"⁻", '-'},
    {"ⁿ", 'n'},
    {"ˣ", 'x'},
}};
constexpr std::array<std::pair<std::string_view, char>, 11> kSubscripts{{
    {"₀", '0'},
    {"₁", '1'},
    {"₂", '2'},
    {"₃", '3'},
    {"₄", '4'},
    {"₅", '5'},
    {"₆", '6'},
    {"₇", '7'},
    {"₈", '8'},
    {"₉", '9'},
    {"ₙ", 'n'},
}};

// The entry whose first part the text begins with, or null.
const auto* prefix_of(std::string_view text, const auto& table) {
  const auto found =
      std::ranges::find_if(table, [&](const auto& pair) { return text.starts_with(pair.first); });
  return found == table.end() ? nullptr : &*found;
}

// The decimal digit of another script or style that the text begins with: full width, Arabic,
// Persian, Devanagari, bold and their like. `length`: its bytes.
std::optional<char> foreign_digit(std::string_view text, std::size_t& length) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned code = 0;
  if (text.size() >= 2 && byte(0) >> 5 == 6) {
    length = 2;
    code = (byte(0) & 31U) << 6 | (byte(1) & 63U);
  } else if (text.size() >= 3 && byte(0) >> 4 == 14) {
    length = 3;
    code = (byte(0) & 15U) << 12 | (byte(1) & 63U) << 6 | (byte(2) & 63U);
  } else if (text.size() >= 4 && byte(0) >> 3 == 30) {
    length = 4;
    code = (byte(0) & 7U) << 18 | (byte(1) & 63U) << 12 | (byte(2) & 63U) << 6 | (byte(3) & 63U);
  }
  for (const unsigned zero : {0x660U, 0x6F0U, 0x966U, 0xFF10U}) {
    if (code >= zero && code < zero + 10) return static_cast<char>('0' + (code - zero));
  }
  if (code >= 0x1D7CE && code <= 0x1D7FF) return static_cast<char>('0' + (code - 0x1D7CE) % 10);
  return std::nullopt;
}

std::string without_unicode(std::string_view text) {
  std::string result;
  // Takes a run of raised or lowered characters as one group.
  const auto take_run = [&](const auto& table, std::string_view opening) {
    const auto* found = prefix_of(text, table);
    if (found == nullptr) return false;
    result += opening;
    for (; found != nullptr; found = prefix_of(text, table)) {
      result += found->second;
      text.remove_prefix(found->first.size());
    }
    result += '}';
    return true;
  };
  while (!text.empty()) {
    std::size_t length = 1;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      result += text.front();
    } else if (take_run(kSuperscripts, "^{") || take_run(kSubscripts, "_{")) {
      continue;
    } else if (const auto* found = prefix_of(text, kUnicode)) {
      result += found->second;
      length = found->first.size();
    } else if (const auto digit = foreign_digit(text, length)) {
      result += *digit;
    } else {
      length = 1;
      result += text.front();
    }
    text.remove_prefix(length);
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
    scientific(begin);
  }

  // 7.25e6 and 1E-9: as {7.25*10^{6}}, so that the exponent may have any size.
  void scientific(std::size_t begin) {
    if (at_ >= text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return;
    std::size_t digit = at_ + 1;
    const bool sign = digit < text_.size() && (text_[digit] == '-' || text_[digit] == '+');
    if (sign) ++digit;
    std::size_t end = digit;
    while (end < text_.size() && is_ascii_digit(text_[end])) ++end;
    const bool goes_on = end < text_.size() && (is_letter(text_[end]) || text_[end] == '^' ||
                                                text_[end] == '!' || text_[end] == '_');
    if (end == digit || goes_on || text_.substr(begin, at_ - begin).size() > kMaxMantissa) return;
    const bool space = tokens_.back().space;
    tokens_.back().space = false;
    tokens_.insert(tokens_.end() - 1, {TokenKind::kSign, "{", space});
    for (const char* text : {"*", "10", "^", "{"})
      add(*text == '1' ? TokenKind::kNumber : TokenKind::kSign, text);
    if (text_[at_ + 1] == '-') add(TokenKind::kSign, "-");
    add(TokenKind::kNumber, text_.substr(digit, end - digit));
    add(TokenKind::kSign, "}");
    add(TokenKind::kSign, "}");
    at_ = end;
  }

  void command() {
    ++at_;
    if (at_ >= text_.size()) return;
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    if (end == at_) ++end;
    const std::string name = text_.substr(at_, end - at_);
    at_ = end;
    if (name == "!") {  // less space: none at all, as in 10,\!080
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    } else if (name == "degree") {
      add(TokenKind::kSign, "^");
      add(TokenKind::kCommand, "circ");
    } else if (std::ranges::find(kTexts, name) != kTexts.end()) {
      const std::string content = group();
      const bool upright = name == "mathrm" || name == "operatorname" || name == "rm";
      const bool is_word = upright && (content == "e" || content == "i" || content == "ln" ||
                                       content == "log" || is_trigonometric(content));
      add(is_word ? TokenKind::kWord : TokenKind::kText, content);
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
