#include "redqueen/gym/common/answer/count_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace redqueen {
namespace {

TEST(CountAnswer, CallsWhatIsTooSmallMalformed) {
  EXPECT_EQ(count_reward(0, 5, 1), kMalformedReward);
  EXPECT_EQ(count_reward(0, 5, 0), 0.0);
  EXPECT_EQ(count_reward(0, 0, 0), 1.0);
  EXPECT_NEAR(count_reward(4, 5, 1), std::pow(0.8, 10), 1e-12);
  EXPECT_LT(count_reward(pow(BigInt(10), 30) + 1, pow(BigInt(10), 30), 1), 1.0);
}

TEST(CountAnswer, DrawsFromTheUpperHalf) {
  Rng rng({.seed = 1, .purpose = hash_name("count"), .step = 0, .index = 0, .salt = 0});
  std::set<std::int64_t> drawn;
  for (int i = 0; i < 400; ++i) drawn.insert(draw_upper_half(3, 20, rng));
  EXPECT_EQ(*drawn.begin(), 10);
  EXPECT_EQ(*drawn.rbegin(), 20);
  EXPECT_EQ(drawn.size(), 11u);
  EXPECT_EQ(draw_upper_half(3, 3, rng), 3);
}

TEST(CountAnswer, GuessesAreOfTheRightSize) {
  Rng rng({.seed = 1, .purpose = hash_name("count"), .step = 0, .index = 1, .salt = 0});
  for (int i = 0; i < 400; ++i) {
    const BigInt guess = random_count(50, rng);
    EXPECT_TRUE(guess >= 1 && guess <= 108) << guess;
  }
}

}  // namespace
}  // namespace redqueen
