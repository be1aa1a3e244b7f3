// Random integers beyond 64 bits.
#pragma once

#include "redqueen/base/big_int.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// Uniform in [low, high], both ends included, without bias. low ≤ high.
BigInt random_integer(const BigInt& low, const BigInt& high, Rng& rng);

// 10^exponent. exponent ≥ 0.
BigInt power_of_ten(int exponent);

}  // namespace redqueen
