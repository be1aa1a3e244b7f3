#include "redqueen/gym/common/parameter/random_integer.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace redqueen {

BigInt random_integer(const BigInt& low, const BigInt& high, Rng& rng) {
  const BigInt span = high - low;
  if (span < std::numeric_limits<std::uint64_t>::max()) {
    return low + rng.below(span.convert_to<std::uint64_t>() + 1);
  }
  const std::size_t bits = msb(span) + 1;
  // Fewer than two draws are expected: more than half of the bit patterns are in range.
  while (true) {
    BigInt offset = 0;
    for (std::size_t drawn = 0; drawn < bits; drawn += 64) {
      const std::size_t take = std::min<std::size_t>(64, bits - drawn);
      offset = (offset << take) | BigInt(rng.bits() >> (64 - take));
    }
    if (offset <= span) return low + offset;
  }
}

BigInt power_of_ten(int exponent) { return pow(BigInt(10), static_cast<unsigned>(exponent)); }

}  // namespace redqueen
