#pragma once

#include <cstdint>

#include "redqueen/gym/common/number/modular.h"

namespace redqueen {

// The sum of the numbers from 1 to n; exact for every n ≥ 0 of 62 bits.
constexpr Int128 triangular(std::int64_t n) { return Int128{n} * (n + 1) / 2; }

}  // namespace redqueen
