// Draws until one is of use, within one attempt: an exception takes as long as drawing some hundred
// random numbers, so that `throw Retry()` is for draws that are seldom refused.
#pragma once

#include "redqueen/core/contract.h"

namespace redqueen {

// The first problem that draw() gives; std::nullopt from it is a draw of no use. Throws Retry after
// so many draws.
template <typename Draw>
auto first_of_use(Draw draw, int draws = 100) {
  for (int i = 0; i < draws; ++i) {
    if (auto problem = draw()) return *std::move(problem);
  }
  throw Retry();
}

}  // namespace redqueen
