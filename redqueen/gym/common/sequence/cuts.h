// Cuts of a row of n places into runs of neighbours. A cut is given by the last place of each run,
// places counted from 1: ascending numbers, the last of which is n.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

// Any integers, any length.
inline bool is_cut(std::int64_t n, std::span<const std::int64_t> ends) {
  if (ends.empty() || ends.front() < 1 || ends.back() != n) return false;
  return std::ranges::adjacent_find(ends, std::ranges::greater_equal()) == ends.end();
}

// Between any two neighbours with probability one half. n ≥ 1.
inline std::vector<std::int64_t> random_cut(std::int64_t n, Rng& rng) {
  std::vector<std::int64_t> ends;
  for (std::int64_t i = 1; i < n; ++i) {
    if (rng.chance(0.5)) ends.push_back(i);
  }
  ends.push_back(n);
  return ends;
}

// Runs of `length` places, the last of them perhaps shorter. n, length ≥ 1.
inline std::vector<std::int64_t> cut_by_length(std::int64_t n, std::int64_t length) {
  std::vector<std::int64_t> ends;
  for (std::int64_t end = length; end < n; end += length) ends.push_back(end);
  ends.push_back(n);
  return ends;
}

// The sum of cost(before, last) over the runs of a cut; a run holds the places before + 1 … last.
template <typename Cost>
std::int64_t cost_of_cut(std::span<const std::int64_t> ends, Cost cost) {
  std::int64_t sum = 0;
  std::int64_t before = 0;
  for (const std::int64_t end : ends) {
    sum += cost(before, end);
    before = end;
  }
  return sum;
}

// The cheapest cut into two runs, with cost(before, last) as above; of one place, one run. n ≥ 1.
template <typename Cost>
std::vector<std::int64_t> cheapest_cut_in_two(std::int64_t n, Cost cost) {
  std::vector<std::int64_t> best{n};
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t end = 1; end < n; ++end) {
    const std::int64_t sum = cost(0, end) + cost(end, n);
    if (sum >= least) continue;
    least = sum;
    best = {end, n};
  }
  return best;
}

// The cheapest of the cuts by length.
template <typename Cost>
std::vector<std::int64_t> cheapest_cut_by_length(std::int64_t n, Cost cost) {
  std::int64_t best = n;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t length = 1; length <= n; ++length) {
    std::int64_t sum = 0;
    for (std::int64_t before = 0; before < n; before += length) {
      sum += cost(before, std::min(before + length, n));
    }
    if (sum >= least) continue;
    least = sum;
    best = length;
  }
  return cut_by_length(n, best);
}

// A cheapest cut of each beginning of a row.
struct CheapestCuts {
  std::vector<std::int64_t> least;  // [i]: what the first i places cost; [0]: 0
  std::vector<int> before;          // [i]: last place before the last run of those; [0]: 0

  // The cut of the first i places.
  std::vector<std::int64_t> ends(int i) const {
    std::vector<std::int64_t> places;
    for (; i > 0; i = before[i]) places.push_back(i);
    std::ranges::reverse(places);
    return places;
  }
};

// cost(before, last) as in cost_of_cut; no sum of costs reaches 2^63. Of equally cheap cuts, one
// with the longest last run. n² / 2 costs.
template <typename Cost>
CheapestCuts cheapest_cuts(int n, Cost cost) {
  CheapestCuts cuts;
  cuts.least.assign(static_cast<std::size_t>(n) + 1, std::numeric_limits<std::int64_t>::max());
  cuts.before.assign(static_cast<std::size_t>(n) + 1, 0);
  cuts.least[0] = 0;
  for (int last = 1; last <= n; ++last) {
    for (int before = 0; before < last; ++before) {
      const std::int64_t sum = cuts.least[before] + cost(before, last);
      if (sum < cuts.least[last]) {
        cuts.least[last] = sum;
        cuts.before[last] = before;
      }
    }
  }
  return cuts;
}

}  // namespace redqueen
