// Characters and letters of ASCII, whatever the locale says.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace redqueen {

constexpr bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The value of a hexadecimal digit, of either case; −1 of what is none.
constexpr int ascii_hex_digit(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char small = ascii_lower(c);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

// Every byte that is no capital letter of ASCII stays, so that UTF-8 stays valid.
inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return ascii_lower(c); });
  return result;
}

constexpr bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace redqueen
