// Numbers of 16 bits, the upper half of a float32's, as libtorch stores them.
#pragma once

#include <bit>
#include <cstdint>

#include "redqueen/model/cpu/multiversion.h"

namespace redqueen {

using Bfloat16 = std::uint16_t;  // the bits

REDQUEEN_INLINE float widen(float x) { return x; }
REDQUEEN_INLINE float widen(Bfloat16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
}

// The nearest number, of two as near the even one; what is not a number stays so.
REDQUEEN_INLINE void narrow(float x, float& to) { to = x; }
REDQUEEN_INLINE void narrow(float x, Bfloat16& to) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  to = static_cast<Bfloat16>(x == x ? rounded : (bits >> 16) | 0x40);
}

}  // namespace redqueen
