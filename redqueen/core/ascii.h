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

// Every byte that is no capital letter of ASCII stays, so that UTF-8 stays valid.
inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) { return ascii_lower(c); });
  return result;
}

}  // namespace redqueen
