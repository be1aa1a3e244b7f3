// Draws problems so that all answers are equally likely, where a plain draw favours a few.
#pragma once

#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "redqueen/base/rng.h"
#include "redqueen/core/contract.h"

namespace redqueen {

// Calls draw() `draws` times and takes one of the problems such that every answer among them is as
// likely, however often it came up. draw() returns std::optional<std::pair<Answer, Problem>>;
// nullopt is a draw of no use. Throws Retry where all were.
template <typename Draw>
auto draw_spread(int draws, Rng& rng, Draw draw) {
  using Candidate = typename decltype(draw())::value_type;
  std::map<typename Candidate::first_type, typename Candidate::second_type> candidates;
  for (int i = 0; i < draws; ++i) {
    if (auto candidate = draw()) {
      candidates.emplace(std::move(candidate->first), std::move(candidate->second));
    }
  }
  if (candidates.empty()) throw Retry();
  const auto place = static_cast<std::ptrdiff_t>(rng.below(candidates.size()));
  return std::move(std::next(candidates.begin(), place)->second);
}

}  // namespace redqueen
