// Choices of places of a list as answers, and lists that show their places.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/format.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// True if every index lies in 0 … n − 1 and is greater than the one before it.
inline bool are_ascending_indices(std::int64_t n, std::span<const std::int64_t> indices) {
  std::int64_t before = -1;
  for (const std::int64_t index : indices) {
    if (index <= before || index >= n) return false;
    before = index;
  }
  return true;
}

// True if every index lies in first … first + n − 1 and none comes twice. Any integers, any length.
inline bool are_distinct_indices(std::int64_t n, std::span<const std::int64_t> indices,
                                 std::int64_t first = 0) {
  if (std::ssize(indices) > n) return false;
  std::vector<char> seen(static_cast<std::size_t>(n));
  for (const std::int64_t index : indices) {
    if (index < first || index - first >= n || seen[index - first]) return false;
    seen[index - first] = 1;
  }
  return true;
}

// Each of 0 … n − 1 with probability one half, ascending.
inline std::vector<std::int64_t> random_indices(std::int64_t n, Rng& rng) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < n; ++i) {
    if (rng.chance(0.5)) indices.push_back(i);
  }
  return indices;
}

// "A[0]=5 A[1]=3": the values with their places, the first of which is `first`.
inline std::string with_indices(std::string_view name, std::span<const std::int64_t> values,
                                std::int64_t first = 0) {
  std::string text;
  for (const std::int64_t value : values) {
    if (!text.empty()) text += ' ';
    append_format(text, "{}[{}]={}", name, first++, value);
  }
  return text;
}

}  // namespace redqueen
