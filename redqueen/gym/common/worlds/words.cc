#include "redqueen/gym/common/worlds/words.h"

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"

namespace redqueen {
namespace {

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) > 127;
}

bool is_article(std::string_view word) { return word == "a" || word == "an" || word == "the"; }

}  // namespace

std::string with_article(std::string_view noun) {
  constexpr std::string_view kVowels = "aeiouAEIOU";
  const bool vowel = !noun.empty() && kVowels.find(noun.front()) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ").append(noun);
}

std::string enumeration(std::span<const std::string> items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string normalised(std::string_view text) {
  constexpr std::string_view kCurlyApostrophe = "\xe2\x80\x99";
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = ascii_lower(text[i]);
    if (text.substr(i, kCurlyApostrophe.size()) == kCurlyApostrophe) {
      i += kCurlyApostrophe.size() - 1;
    } else if (c != '\'') {
      plain += is_word_byte(c) ? c : ' ';
    }
  }
  std::string joined;
  for (const std::string_view word : split_words(plain)) {
    if (is_article(word)) continue;
    if (!joined.empty()) joined += ' ';
    joined += word;
  }
  return joined;
}

std::string quotable(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string_view start = text.substr(0, kMost);
  if (start.size() < text.size()) {
    // The first byte left out begins a character, or else the last character is cut.
    while (!start.empty() && (static_cast<unsigned char>(text[start.size()]) & 0xC0) == 0x80) {
      start.remove_suffix(1);
    }
  }
  std::string line(start);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  }
  if (start.size() < text.size()) line += "…";
  return line;
}

}  // namespace redqueen
