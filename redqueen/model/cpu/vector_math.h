// Reductions and the exponential function, written so that compilers vectorise them. For functions
// marked REDQUEEN_VECTOR_CLONES.
#pragma once

#include <bit>
#include <cstdint>

#include "redqueen/model/cpu/bfloat16.h"
#include "redqueen/model/cpu/multiversion.h"

namespace redqueen {

constexpr std::int64_t kLanes = 16;  // partial results of a reduction, so that it may be vectorised

// Relative error below 3e-7 for x ≤ 0; values below e^−87 become that. exp(x) = 2^n × exp(f ln 2),
// |f| ≤ 1/2.
REDQUEEN_INLINE float exponential(float x) {
  constexpr float kRound = 12582912.0f;  // 1.5 × 2^23: adding it leaves no room for a fraction
  const float scaled = (x < -87.0f ? -87.0f : x) * 1.44269504f;
  const float whole = (scaled + kRound) - kRound;
  const float f = (scaled - whole) * 0.693147181f;
  const float series =
      1 +
      f * (1 + f * (1 / 2.0f + f * (1 / 6.0f + f * (1 / 24.0f + f * (1 / 120.0f + f / 720.0f)))));
  return series * std::bit_cast<float>((static_cast<std::int32_t>(whole) + 127) << 23);
}

REDQUEEN_INLINE float largest(const float* x, std::int64_t count) {
  float lanes[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = x[0];
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] = lanes[i] < x[j + i] ? x[j + i] : lanes[i];
  }
  float result = lanes[0];
  for (std::int64_t i = 1; i < kLanes; ++i) result = result < lanes[i] ? lanes[i] : result;
  for (; j < count; ++j) result = result < x[j] ? x[j] : result;
  return result;
}

REDQUEEN_INLINE float total(const float* x, std::int64_t count) {
  float lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] += x[j + i];
  }
  float result = 0;
  for (std::int64_t i = 0; i < kLanes; ++i) result += lanes[i];
  for (; j < count; ++j) result += x[j];
  return result;
}

// Σ a × b in float32.
template <typename A, typename B>  // float or Bfloat16
REDQUEEN_INLINE float dot(const A* a, const B* b, std::int64_t count) {
  float lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) {
    for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] += widen(a[j + i]) * widen(b[j + i]);
  }
  float result = 0;
  for (std::int64_t i = 0; i < kLanes; ++i) result += lanes[i];
  for (; j < count; ++j) result += widen(a[j]) * widen(b[j]);
  return result;
}

}  // namespace redqueen
