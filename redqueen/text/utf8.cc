#include "redqueen/text/utf8.h"

#include <unicode/utf8.h>

#include <algorithm>

// ICU's macros narrow integers.
#pragma GCC diagnostic ignored "-Wconversion"

namespace redqueen {
namespace {

constexpr std::size_t kReach = 4;  // bytes of the longest character

}  // namespace

Character first_character(std::string_view text) {
  const std::string_view head = text.substr(0, kReach);
  if (head.empty()) return {};
  std::int32_t end = 0;
  UChar32 code = 0;
  U8_NEXT(head.data(), end, static_cast<std::int32_t>(head.size()), code);
  return {code, code < 0 ? 1 : static_cast<std::size_t>(end)};
}

Character last_character(std::string_view text) {
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kReach));
  if (tail.empty()) return {};
  auto begin = static_cast<std::int32_t>(tail.size());
  UChar32 code = 0;
  U8_PREV(tail.data(), 0, begin, code);
  return {code, code < 0 ? 1 : tail.size() - static_cast<std::size_t>(begin)};
}

void append_utf8(std::string& text, std::int32_t code) {
  char buffer[U8_MAX_LENGTH];
  std::int32_t length = 0;
  UBool bad = false;
  U8_APPEND(reinterpret_cast<std::uint8_t*>(buffer), length, U8_MAX_LENGTH, code, bad);
  if (!bad) text.append(buffer, static_cast<std::size_t>(length));
}

}  // namespace redqueen
