#include "redqueen/serve/json_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdint>

#include "redqueen/base/ascii.h"
#include "redqueen/text/utf8.h"

namespace redqueen::serve {
namespace {

// What a letter behind a backslash stands for; '\0' for none. "u" is not among them.
char plain_escape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

// Takes four hexadecimal digits off the front.
std::optional<std::uint32_t> take_unit(std::string_view& text) {
  constexpr std::size_t kDigits = 4;
  std::uint32_t unit = 0;
  const char* const end = text.data() + std::min(kDigits, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, unit, 16);
  if (error != std::errc() || stop != text.data() + kDigits) return std::nullopt;
  text.remove_prefix(kDigits);
  return unit;
}

// Takes what follows \u off the front: four digits, or a pair of surrogates (RFC 8259, section 7).
std::optional<std::uint32_t> take_code_point(std::string_view& text) {
  const auto first = take_unit(text);
  if (!first || *first < 0xD800 || *first > 0xDFFF) return first;
  if (*first > 0xDBFF || !text.starts_with("\\u")) return std::nullopt;
  text.remove_prefix(2);
  const auto second = take_unit(text);
  if (!second || *second < 0xDC00 || *second > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

}  // namespace

std::optional<std::string_view> unescaped(std::string_view inner, std::string& room) {
  std::size_t backslash = inner.find('\\');
  if (backslash == std::string_view::npos) return inner;
  assert(room.capacity() - room.size() >= inner.size());  // no text is longer than its escapes
  const std::size_t begin = room.size();
  for (; backslash != std::string_view::npos; backslash = inner.find('\\')) {
    room.append(inner, 0, backslash);
    inner.remove_prefix(backslash + 1);
    if (inner.empty()) return std::nullopt;
    const char letter = inner.front();
    inner.remove_prefix(1);
    if (letter == 'u') {
      const auto point = take_code_point(inner);
      if (!point) return std::nullopt;
      append_utf8(room, static_cast<std::int32_t>(*point));
    } else if (const char meant = plain_escape(letter); meant != '\0') {
      room += meant;
    } else {
      return std::nullopt;
    }
  }
  room += inner;
  return std::string_view(room).substr(begin);
}

std::optional<MarkedText> mark_lone_surrogates(std::string_view text) {
  // Characters that Unicode keeps for a program's own use: one that the text does not hold.
  constexpr std::uint32_t kFirst = 0xFDD0;
  constexpr std::uint32_t kLast = 0xFDEF;
  const std::string small = ascii_lower(text);
  for (std::uint32_t point = kFirst; point <= kLast; ++point) {
    MarkedText marked;
    append_utf8(marked.mark, static_cast<std::int32_t>(point));
    const std::string escape = fmt::format("\\u{:04x}", point);
    if (text.find(marked.mark) != std::string_view::npos) continue;
    if (small.find(escape) != std::string::npos) continue;
    bool found = false;
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        marked.text += text[i++];
        continue;
      }
      std::string_view rest = text.substr(i + 2);
      const std::size_t before = rest.size();
      if (text[i + 1] == 'u' && !take_code_point(rest)) {
        rest = text.substr(i + 2);
        if (const auto unit = take_unit(rest); unit && *unit >= 0xD800 && *unit <= 0xDFFF) {
          marked.text += escape;
          i += escape.size();
          found = true;
          continue;
        }
        rest = text.substr(i + 2);
      }
      const std::size_t length = 2 + (before - rest.size());
      marked.text += text.substr(i, length);
      i += length;
    }
    if (!found) return std::nullopt;
    return marked;
  }
  return std::nullopt;
}

}  // namespace redqueen::serve
