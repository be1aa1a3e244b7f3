// Answers that are an order of n consecutive integers, mostly 0 … n − 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace redqueen {

// True if `answer` holds each of first … first + n − 1 once. Any integers, any length; first ≥ 0.
inline bool is_order(int n, std::span<const std::int64_t> answer, std::int64_t first = 0) {
  if (answer.size() != static_cast<std::size_t>(n)) return false;
  std::vector<char> seen(n);
  for (const std::int64_t item : answer) {
    if (item < first || item - first >= n || seen[item - first]) return false;
    seen[item - first] = 1;
  }
  return true;
}

inline std::vector<std::int64_t> ascending_order(int n, std::int64_t first = 0) {
  std::vector<std::int64_t> order(n);
  for (int i = 0; i < n; ++i) order[i] = first + i;
  return order;
}

inline std::vector<std::int64_t> descending_order(int n, std::int64_t first = 0) {
  std::vector<std::int64_t> order(n);
  for (int i = 0; i < n; ++i) order[i] = first + n - 1 - i;
  return order;
}

// Counts the orders of first … first + n − 1 that have value(order) ≤ most, by trying all n!.
template <typename Value>
std::int64_t count_orders_within(int n, std::int64_t first, std::int64_t most, Value value) {
  std::vector<std::int64_t> order = ascending_order(n, first);
  std::int64_t count = 0;
  do {
    count += value(order) <= most;
  } while (std::next_permutation(order.begin(), order.end()));
  return count;
}

}  // namespace redqueen
