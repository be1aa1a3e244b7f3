#include "redqueen/gym/common/number/random_modulus.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace redqueen {
namespace {

Rng test_rng() {
  return Rng({.seed = 1, .purpose = hash_name("moduli"), .step = 0, .index = 0, .salt = 0});
}

TEST(RandomModulus, DrawsEveryPrimeOfARange) {
  Rng rng = test_rng();
  std::set<std::int64_t> seen;
  for (int i = 0; i < 200; ++i) seen.insert(draw_prime(10, 20, rng));
  EXPECT_EQ(seen, (std::set<std::int64_t>{11, 13, 17, 19}));
}

TEST(RandomModulus, GivesUpWhereThereIsNoPrime) {
  Rng rng = test_rng();
  EXPECT_THROW(draw_prime(24, 28, rng), Retry);
}

TEST(RandomModulus, StaysBelowTheCountAndAboveItsHalf) {
  Rng rng = test_rng();
  for (int i = 0; i < 200; ++i) {
    const std::int64_t modulus = draw_modulus(42.9, 3, 1000, rng);
    EXPECT_GE(modulus, 21);
    EXPECT_LE(modulus, 42);
    EXPECT_GE(draw_modulus(std::numeric_limits<double>::infinity(), 3, 1000, rng), 500);
    EXPECT_EQ(draw_modulus(1.0, 3, 1000, rng), 3);
    const std::int64_t prime = draw_prime_modulus(42.9, 3, 1000, rng);
    EXPECT_TRUE(is_prime(prime) && prime >= 21 && prime <= 42) << prime;
  }
}

}  // namespace
}  // namespace redqueen
