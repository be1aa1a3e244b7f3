// Orders of 0 … n − 1 as answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace redqueen {

// Whether `answer` holds each of 0 … n − 1 once. Any integers, any length.
inline bool is_order(int n, std::span<const std::int64_t> answer) {
  if (answer.size() != static_cast<std::size_t>(n)) return false;
  std::vector<char> seen(n);
  for (const std::int64_t item : answer) {
    if (item < 0 || item >= n || seen[item]) return false;
    seen[item] = 1;
  }
  return true;
}

inline std::vector<std::int64_t> ascending_order(int n) {
  std::vector<std::int64_t> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  return order;
}

inline std::vector<std::int64_t> descending_order(int n) {
  std::vector<std::int64_t> order(n);
  for (int i = 0; i < n; ++i) order[i] = n - 1 - i;
  return order;
}

}  // namespace redqueen
