#include "redqueen/core/reward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

TEST(Reward, FollowsTheFormulas) {
  EXPECT_DOUBLE_EQ(closeness_reward(90, 100, 10.0), std::pow(0.9, 10));
  EXPECT_DOUBLE_EQ(closeness_reward(100, 90, 10.0), std::pow(0.9, 10));
  EXPECT_EQ(closeness_reward(0, 0), 1.0);
  EXPECT_EQ(closeness_reward(0, 5), 0.0);
  EXPECT_EQ(closeness_reward(5, 0), 0.0);
  EXPECT_EQ(closeness_reward(-5, 5), 0.0);
  EXPECT_DOUBLE_EQ(maximise_reward<std::int64_t>(3, 4, 5.0), std::pow(0.75, 5));
  EXPECT_EQ(maximise_reward<std::int64_t>(0, 0), 1.0);
  EXPECT_EQ(maximise_reward<std::int64_t>(-3, 4), 0.0);
  EXPECT_DOUBLE_EQ(minimise_reward<std::int64_t>(4, 3, 5.0), std::pow(0.75, 5));
  EXPECT_EQ(minimise_reward<std::int64_t>(0, 0), 1.0);
  EXPECT_EQ(minimise_reward<std::int64_t>(4, 0), 0.0);
  EXPECT_DOUBLE_EQ(share_reward(3, 4, 10.0), std::pow(0.75, 10));
  EXPECT_EQ(share_reward(0, 0), 1.0);
}

// A quotient of neighbouring integers rounds to 1 as a double; the reward must not.
TEST(Reward, NeverRoundsUpToSolved) {
  BigInt huge = 1;
  for (int digits = 1; digits < 2000; digits += 37) {
    huge *= boost::multiprecision::pow(BigInt(10), 37);
    EXPECT_LT(closeness_reward(huge + 1, huge), 1.0) << digits;
    EXPECT_LT(closeness_reward(huge, huge + 1), 1.0) << digits;
    EXPECT_LT(maximise_reward<BigInt>(huge, huge + 1), 1.0);
    EXPECT_LT(minimise_reward<BigInt>(huge + 1, huge), 1.0);
    EXPECT_EQ(closeness_reward(huge, huge), 1.0);
  }
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_LT(maximise_reward<std::int64_t>(max - 1, max), 1.0);
  EXPECT_LT(minimise_reward<std::int64_t>(max, max - 1), 1.0);
  EXPECT_LT(share_reward(max - 1, max), 1.0);
  EXPECT_LT(closeness_reward(max - 1, max, 1e-12), 1.0);
}

TEST(Reward, StaysFiniteOnAnything) {
  const BigInt huge = boost::multiprecision::pow(BigInt(10), 4000);
  for (const BigInt& a : {BigInt(0), BigInt(1), BigInt(-huge), huge, BigInt(-1)}) {
    for (const BigInt& b : {BigInt(0), BigInt(1), huge, BigInt(huge + 1)}) {
      for (const double reward :
           {closeness_reward(a, b), maximise_reward(a, b), minimise_reward(a, b)}) {
        EXPECT_TRUE(reward >= 0.0 && reward <= 1.0);
      }
    }
  }
  const double inf = std::numeric_limits<double>::infinity();
  for (const double fraction : {-inf, -1.0, 0.0, 0.5, 1.0, 2.0, inf, std::nan("")}) {
    const double reward = partial_reward(fraction, 10.0);
    EXPECT_TRUE(reward >= 0.0 && reward < 1.0) << fraction;
  }
  EXPECT_TRUE(std::isfinite(maximise_reward(std::nan(""), 1.0)));
  EXPECT_TRUE(std::isfinite(minimise_reward(std::nan(""), 1.0)));
}

TEST(Ratio, IsRightForSmallAndHugeNumbers) {
  Rng rng({.seed = 1, .purpose = hash_name("ratio"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t b = rng.integer(1, 1'000'000'000);
    const std::int64_t a = rng.integer(0, b);
    const double expected = static_cast<double>(a) / static_cast<double>(b);
    EXPECT_DOUBLE_EQ(ratio(a, b), expected);
    const BigInt scale = boost::multiprecision::pow(BigInt(10), 700);
    EXPECT_DOUBLE_EQ(ratio(scale * a, scale * b), expected);
  }
}

}  // namespace
}  // namespace redqueen
