// Reward shapes: how good an answer is, as a number in [0, 1].
//
// Every shape returns exactly 1 for a right answer and a number below 1 for any other, however
// close: equality is decided on the integers, not on the quotient. None throws, overflows, or
// returns a non-finite number.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "redqueen/base/big_int.h"

namespace redqueen {

// The largest reward of an answer that is not right.
inline constexpr double kAlmostSolved = 1.0 - 0x1.0p-53;

// 1 if right, else 0.
inline double exact_reward(bool right) { return right ? 1.0 : 0.0; }

// fraction^beta, below 1. fraction in [0, 1]; anything else, NaN included, counts as the nearer end
// or 0.
inline double partial_reward(double fraction, double beta) {
  if (!(fraction > 0.0)) return 0.0;
  return std::min(std::pow(fraction, beta), kAlmostSolved);
}

// (min/max)^beta of two integers that should be equal, both ≥ 0; 0 if either is 0 and the other is
// not. Callers deal with negative answers before (a negative one counts as 0 here).
double closeness_reward(const BigInt& answer, const BigInt& reference, double beta = 10.0);

// (value/best)^beta for a task that maximises. best ≥ 0; with best = 0 every value ≥ 0 is right. A
// value below 0 earns 0, one above best (impossible with a true optimum) is right.
template <typename Number>
double maximise_reward(const Number& value, const Number& best, double beta = 5.0);

// (best/value)^beta for a task that minimises. 0 ≤ best; value ≤ best is right; best = 0 and value
// > 0 earns 0.
template <typename Number>
double minimise_reward(const Number& value, const Number& best, double beta = 5.0);

// (matches/total)^beta. 0 ≤ matches ≤ total; total = 0 is right.
double share_reward(std::int64_t matches, std::int64_t total, double beta = 10.0);

// ------------------------------------------------------------------------------------------------

namespace reward_detail {

template <typename Number>
double quotient(const Number& small, const Number& large) {
  if constexpr (std::same_as<Number, BigInt>) {
    return ratio(small, large);
  } else {
    return static_cast<double>(small) / static_cast<double>(large);
  }
}

}  // namespace reward_detail

template <typename Number>
double maximise_reward(const Number& value, const Number& best, double beta) {
  if (value >= best) return 1.0;
  if (!(value > Number(0))) return 0.0;
  return partial_reward(reward_detail::quotient<Number>(value, best), beta);
}

template <typename Number>
double minimise_reward(const Number& value, const Number& best, double beta) {
  if (value <= best) return 1.0;
  if (!(best > Number(0))) return 0.0;
  return partial_reward(reward_detail::quotient<Number>(best, value), beta);
}

}  // namespace redqueen
