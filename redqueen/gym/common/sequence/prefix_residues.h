// Permutations of 1 … n that are judged by the residues of their prefixes, sums or products, modulo
// n.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// The number of different residues that the prefixes have: the first is the first number modulo n,
// each further one is combine(residue, number) modulo n. nullopt unless `answer` holds each of 1 …
// n once. Any integers, any length; combine sees values up to n.
template <typename Combine>
std::optional<std::int64_t> distinct_prefix_residues(std::span<const std::int64_t> answer,
                                                     std::int64_t n, Combine combine) {
  if (answer.size() != static_cast<std::size_t>(n)) return std::nullopt;
  std::vector<char> used(answer.size(), 0);
  for (const std::int64_t number : answer) {
    if (number < 1 || number > n || std::exchange(used[number - 1], 1) != 0) return std::nullopt;
  }
  std::vector<char> seen(answer.size(), 0);
  std::int64_t residue = answer[0] % n;
  std::int64_t distinct = 1;
  seen[residue] = 1;
  for (const std::int64_t number : answer.subspan(1)) {
    residue = combine(residue, number) % n;
    distinct += std::exchange(seen[residue], 1) == 0;
  }
  return distinct;
}

// 1, 2, …, n.
inline std::vector<std::int64_t> numbers_up_to(std::int64_t n) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{1});
  return numbers;
}

}  // namespace redqueen
