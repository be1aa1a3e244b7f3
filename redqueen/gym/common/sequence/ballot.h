// Ballot sequences: words of two letters in which the second never leads.
#pragma once

#include <cstdint>
#include <string>

#include "redqueen/base/rng.h"

namespace redqueen {

// A word of n letters `up` and n letters `down` such that no beginning holds more `down` than `up`;
// all of them are equally likely. O(n). By the cycle lemma (Dvoretzky and Motzkin, 1947): of the
// turns of a circle of n + 1 up and n down, exactly one has more `up` in each beginning; without
// its first letter it is a ballot sequence. n ≥ 0.
inline std::string draw_ballot(int n, char up, char down, Rng& rng) {
  std::string circle(static_cast<std::size_t>(n) + 1, up);
  circle.append(static_cast<std::size_t>(n), down);
  rng.shuffle(circle);
  std::size_t lowest = 0;  // the letters before it hold the least excess of `up`, at its last place
  std::int64_t excess = 0;
  std::int64_t least = 0;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    excess += circle[i] == up ? 1 : -1;
    if (excess <= least) {
      least = excess;
      lowest = i + 1;
    }
  }
  return circle.substr(lowest + 1) + circle.substr(0, lowest);
}

}  // namespace redqueen
