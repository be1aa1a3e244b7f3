#include "redqueen/gym/common/number/smooth.h"

#include <gtest/gtest.h>

#include <array>

#include "redqueen/gym/common/number/sieve.h"

namespace redqueen {
namespace {

TEST(Smooth, DrawsProductsOfTheGivenPrimes) {
  Rng rng({.seed = 1, .purpose = hash_name("smooth"), .step = 0, .index = 0, .salt = 0});
  constexpr std::array kPrimes{2, 2, 3, 7};
  for (int i = 0; i < 300; ++i) {
    const std::int64_t limit = rng.integer(1, i % 2 == 0 ? 20 : std::int64_t{1} << 62);
    const std::int64_t number = draw_smooth(kPrimes, limit, rng);
    EXPECT_LE(number, limit);
    EXPECT_GT(number, limit / 7 / 2);
    for (const PrimePower& power : factorise(number)) {
      EXPECT_TRUE(power.prime == 2 || power.prime == 3 || power.prime == 7);
    }
  }
}

}  // namespace
}  // namespace redqueen
