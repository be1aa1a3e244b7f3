#include "redqueen/gym/common/sequence/inversions.h"

#include <algorithm>
#include <cmath>

namespace redqueen {
namespace {

// Sorts the span; `room` is as long.
std::int64_t sort_and_count(std::span<std::int64_t> values, std::span<std::int64_t> room) {
  constexpr std::size_t kFew = 16;
  if (values.size() <= kFew) {
    std::int64_t count = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      for (std::size_t j = i; j > 0 && values[j - 1] > values[j]; --j, ++count) {
        std::swap(values[j - 1], values[j]);
      }
    }
    return count;
  }
  const std::size_t half = values.size() / 2;
  std::int64_t count = sort_and_count(values.first(half), room.first(half));
  count += sort_and_count(values.subspan(half), room.subspan(half));
  std::size_t left = 0;
  std::size_t right = half;
  for (std::int64_t& next : room) {
    if (right == values.size() || (left < half && values[left] <= values[right])) {
      next = values[left++];
    } else {
      next = values[right++];
      count += static_cast<std::int64_t>(half - left);
    }
  }
  std::ranges::copy(room, values.begin());
  return count;
}

// How many of `left` inversions item i makes, when the items to come can make `others` more: as
// large a share as theirs in the mean.
std::int64_t draw_digit(std::int64_t i, std::int64_t left, std::int64_t others, Rng& rng) {
  const std::int64_t low = std::max<std::int64_t>(0, left - others);
  const std::int64_t high = std::min(i, left);
  if (low == high) return low;
  const double mean =
      static_cast<double>(left) * static_cast<double>(i) / static_cast<double>(i + others);
  const double reach =
      std::min(mean - static_cast<double>(low), static_cast<double>(high) - mean) + 0.5;
  const auto from = static_cast<std::int64_t>(std::ceil(mean - reach));
  const auto to = static_cast<std::int64_t>(std::floor(mean + reach));
  return rng.integer(std::clamp(from, low, high), std::clamp(to, low, high));
}

}  // namespace

std::int64_t count_inversions(std::span<const std::int64_t> values) {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::vector<std::int64_t> room(values.size());
  return sort_and_count(sorted, room);
}

// Item i stands before so many of the smaller items as its digit says; the digits, from 0 to i
// each, are free.
std::vector<int> order_with_inversions(int n, std::int64_t inversions, Rng& rng) {
  std::vector<std::int64_t> digits(n);
  std::int64_t others = std::int64_t{n} * (n - 1) / 2;
  for (const int i : rng.permutation(n)) {
    others -= i;
    digits[i] = draw_digit(i, inversions, others, rng);
    inversions -= digits[i];
  }
  std::vector<int> order;
  order.reserve(n);
  for (int i = 0; i < n; ++i) order.insert(order.end() - digits[i], i);
  return order;
}

}  // namespace redqueen
