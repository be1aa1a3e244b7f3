// Problems whose only parameters are N and M: about all pairs of 1 … N and 1 … M.
#pragma once

#include "redqueen/base/field_list.h"
#include "redqueen/base/rng.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

struct BoxConfig {
  std::int64_t MAX_N_M = 0;
  REDQUEEN_FIELDS(MAX_N_M)
};

struct Box {
  std::int64_t MAX_N_M = 0;
  std::int64_t N = 0;
  std::int64_t M = 0;
  REDQUEEN_FIELDS(MAX_N_M, N, M)
};

// The published ladder of these environments: the bound starts at 5 and grows by half.
inline BoxConfig box_at_level(int level) { return {.MAX_N_M = grow_by_half(5, level)}; }

// Both sides in the upper half of what the bound allows, none below `least`.
inline Box draw_box(const BoxConfig& config, std::int64_t least, Rng& rng) {
  Box box{.MAX_N_M = config.MAX_N_M, .N = 0, .M = 0};
  box.N = draw_upper_half(least, config.MAX_N_M, rng);
  box.M = draw_upper_half(least, config.MAX_N_M, rng);
  return box;
}

inline Status check_box(const Box& box, std::int64_t largest_side) {
  return within("N", box.N, 1, largest_side).and_then([&] {
    return within("M", box.M, 1, largest_side);
  });
}

}  // namespace redqueen
