// Steps that difficulty ladders share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redqueen {

// Applies `step` to `value` once a level.
template <typename T, typename Step>
T climb(T value, int level, Step step) {
  for (int i = 0; i < level; ++i) value = step(value);
  return value;
}

// x ← ⌊1.1 x + 1⌋ once a level: the growth of most published ladders.
inline int grow_by_tenth(int start, int level) {
  return climb(start, level, [](int x) { return static_cast<int>(1.1 * x + 1.0); });
}

// x ← ⌊1.5 x⌋ once a level, held at `ceiling` once it would pass it.
inline std::int64_t grow_by_half(std::int64_t start, int level,
                                 std::int64_t ceiling = std::int64_t{1} << 62) {
  return climb(start, level,
               [=](std::int64_t x) { return x / 2 > ceiling - x ? ceiling : x + x / 2; });
}

// x ← ⌊1.5 x + 1⌋ once a level. The result must stay below 2^62.
inline std::int64_t grow_by_half_and_one(std::int64_t start, int level) {
  return climb(start, level, [](std::int64_t x) { return x + x / 2 + 1; });
}

// x ← factor · x once a level, held at `ceiling` once it would pass it.
inline std::int64_t multiply(std::int64_t start, std::int64_t factor, int level,
                             std::int64_t ceiling = std::int64_t{1} << 62) {
  return climb(start, level,
               [=](std::int64_t x) { return x > ceiling / factor ? ceiling : x * factor; });
}

}  // namespace redqueen
