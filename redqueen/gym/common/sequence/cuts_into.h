// Cheapest cuts of a row of n places into a given number of runs. A cut is given by the last place
// of each run, places counted from 1: ascending numbers, the last of which is n.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace redqueen {

// The cheapest cut into `runs` runs. cost(before, last) is that of the run of the places before +
// 1 … last; no sum of costs reaches 2^62. For a ≤ b ≤ c ≤ d the costs keep the quadrangle
// inequality cost(a, c) + cost(b, d) ≤ cost(a, d) + cost(b, c), so that the best place of the last
// cut never moves back as the row grows, and each halving of the row halves the places to try (Z.
// Galil and K. Park, "Dynamic programming with convexity, concavity and sparsity", 1992). 1 ≤ runs
// ≤ n. O(runs · n log n) costs, runs · n integers of memory.
template <typename Cost>
std::vector<std::int64_t> cheapest_cut_into(int n, int runs, Cost cost) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  const auto columns = static_cast<std::size_t>(n) + 1;
  std::vector<std::int64_t> least(columns);  // [i]: of the first i places in the runs so far
  std::vector<std::int64_t> fewer(columns);  // the same of one run fewer
  std::vector<int> before(columns * static_cast<std::size_t>(runs));
  for (int i = 1; i <= n; ++i) least[i] = cost(0, i);
  struct Part {
    int low, high;    // ends of the row to find
    int first, last;  // places before the last run to try
  };
  std::vector<Part> parts;
  for (int run = 1; run < runs; ++run) {
    std::swap(least, fewer);
    parts.push_back({run + 1, n, run, n - 1});
    while (!parts.empty()) {
      const auto [low, high, first, last] = parts.back();
      parts.pop_back();
      if (low > high) continue;
      const int middle = low + (high - low) / 2;
      std::int64_t best = kNone;
      int place = first;
      for (int p = first; p <= std::min(last, middle - 1); ++p) {
        const std::int64_t sum = fewer[p] + cost(p, middle);
        if (sum < best) {
          best = sum;
          place = p;
        }
      }
      least[middle] = best;
      before[columns * run + middle] = place;
      parts.push_back({low, middle - 1, first, place});
      parts.push_back({middle + 1, high, place, last});
    }
  }
  std::vector<std::int64_t> ends(runs);
  int end = n;
  for (int run = runs - 1; run >= 0; --run) {
    ends[run] = end;
    end = before[columns * run + end];
  }
  return ends;
}

}  // namespace redqueen
