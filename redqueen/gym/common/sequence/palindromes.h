// Palindromic substrings of one string.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace redqueen {

// For each of the 2n + 1 middles of s, the length of the longest piece around it that equals its
// mirror image: mirrors(a, b) says whether a becomes b in the mirror and b becomes a. Middle 2i + 1
// is character i, −1 where that does not mirror itself; middle 2i is the gap before it. O(n).
// G. Manacher, "A new linear-time on-line algorithm for finding the smallest initial palindrome of
// a string", 1975.
template <typename Mirrors>
std::vector<int> mirrored_lengths(std::string_view s, Mirrors mirrors) {
  const int n = static_cast<int>(s.size());
  std::vector<int> lengths(2 * s.size() + 1, 0);
  int middle = 0;  // of the piece that reaches furthest to the right
  int end = 0;     // where it ends, in places between characters
  for (int i = 0; i <= 2 * n; ++i) {
    if (i % 2 == 1 && !mirrors(s[i / 2], s[i / 2])) {
      lengths[i] = -1;
      continue;
    }
    // The longest piece around i has the parity of i.
    int length = i % 2;
    if (2 * end > i) length = std::max(length, std::min(lengths[2 * middle - i], 2 * end - i));
    const auto first = [&] { return (i - length) / 2; };
    while (first() > 0 && first() + length < n && mirrors(s[first() - 1], s[first() + length]))
      length += 2;
    lengths[i] = length;
    if (first() + length > end) {
      end = first() + length;
      middle = i;
    }
  }
  return lengths;
}

// The same where characters mirror their like: the longest palindrome around each middle.
inline std::vector<int> palindrome_lengths(std::string_view s) {
  return mirrored_lengths(s, std::equal_to<char>());
}

// True if s[first … end) reads the same backwards, by the lengths above. first ≤ end.
inline bool is_palindrome(const std::vector<int>& lengths, std::int64_t first, std::int64_t end) {
  return lengths[first + end] >= end - first;
}

}  // namespace redqueen
