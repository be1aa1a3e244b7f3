// Vectors of eight numbers, as GCC and Clang extend the language by them. For functions marked
// REDQUEEN_VECTOR_CLONES or compiled for a processor with such registers.
#pragma once

#include <cstdint>

#include "redqueen/model/cpu/bfloat16.h"
#include "redqueen/model/cpu/multiversion.h"

namespace redqueen {

using Eight = float __attribute__((vector_size(32)));
using EightAnywhere = float __attribute__((vector_size(32), aligned(4), may_alias));
using EightBits = std::uint32_t __attribute__((vector_size(32)));
using EightShorts = std::uint16_t __attribute__((vector_size(16)));
using EightShortsAnywhere = std::uint16_t __attribute__((vector_size(16), aligned(2), may_alias));

REDQUEEN_INLINE void load_eight(const float* from, Eight& to) {
  to = *reinterpret_cast<const EightAnywhere*>(from);
}

REDQUEEN_INLINE void load_eight(const Bfloat16* from, Eight& to) {
  const EightShorts shorts = *reinterpret_cast<const EightShortsAnywhere*>(from);
  to = (Eight)(__builtin_convertvector(shorts, EightBits) << 16);
}

}  // namespace redqueen
