// Borders: what a string both begins and ends with.
#pragma once

#include <string_view>
#include <vector>

namespace redqueen {

// For each length 0 … n, the length of the longest border of the beginning of s that is so long: a
// shorter string that it begins and ends with. n + 1 numbers; O(n). D. E. Knuth, J. H. Morris and
// V. R. Pratt, "Fast pattern matching in strings", 1977.
inline std::vector<int> border_lengths(std::string_view s) {
  std::vector<int> lengths(s.size() + 1, 0);
  int border = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    while (border > 0 && s[border] != s[i]) border = lengths[border];
    if (s[border] == s[i]) ++border;
    lengths[i + 1] = border;
  }
  return lengths;
}

// The lengths of all borders of s, longest first; the empty one and s itself are left out.
inline std::vector<int> all_borders(std::string_view s) {
  const std::vector<int> lengths = border_lengths(s);
  std::vector<int> borders;
  for (int border = lengths.back(); border > 0; border = lengths[border]) borders.push_back(border);
  return borders;
}

}  // namespace redqueen
