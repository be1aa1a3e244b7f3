#include "redqueen/train/overlong.h"

#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/train/advantage.h"
#include "redqueen/train/aggregation.h"

namespace redqueen {
namespace {

// As DAPO's authors write it in their trainer: what a response exceeds the expected length by, over
// the buffer, negated, and at most 0.
double of_the_authors(std::int64_t length, std::int64_t longest, std::int64_t buffer) {
  const double exceeded = static_cast<double>(length - (longest - buffer));
  return std::fmin(-exceeded / static_cast<double>(buffer) * 1.0, 0.0);
}

TEST(Overlong, FallsEvenlyInTheLastTokens) {
  const OverlongOptions published{.cache = 4096, .longest = 20480};
  for (std::int64_t length = 0; length <= 20480; ++length)
    ASSERT_DOUBLE_EQ(overlong_reward(length, published), of_the_authors(length, 20480, 4096));
  EXPECT_EQ(overlong_reward(16384, published), 0);
  EXPECT_EQ(overlong_reward(18432, published), -0.5);
  EXPECT_EQ(overlong_reward(20480, published), -1);
  EXPECT_EQ(overlong_reward(50000, published), -1);
  EXPECT_EQ(overlong_reward(50000, {}), 0);
  EXPECT_EQ(overlong_reward(5, {.cache = 10, .longest = 10}), -0.5);
}

ScoredRollout response(std::size_t tokens, FinishReason finish, double reward) {
  ScoredRollout rollout;
  rollout.completion.tokens.assign(tokens, 7);
  rollout.completion.log_probs.assign(tokens, -1.0F);
  rollout.completion.finish = finish;
  rollout.reward = reward;
  return rollout;
}

TEST(Overlong, MasksWhatWasCutAndKeepsItsReward) {
  std::vector<ScoredGroup> groups(1);
  groups[0].rollouts = {response(8, FinishReason::kLength, -1), response(5, FinishReason::kStop, 1),
                        response(7, FinishReason::kStop, 1)};
  const std::vector<double> before = advantages(groups);
  const OverlongCounts counts = apply_overlong(groups, {.mask_cut = true});
  EXPECT_EQ(counts.masked, 1u);
  EXPECT_EQ(counts.punished, 0u);
  EXPECT_EQ(advantages(groups), before) << "a cut response still counts in its group's mean";
  const std::vector<double> coefficients = token_coefficients(groups, {});
  EXPECT_EQ(coefficients[0], 0);
  EXPECT_DOUBLE_EQ(coefficients[1], 1.0 / 12);
  EXPECT_EQ(drawn_tokens(groups[0].rollouts[0]), 0u);
  EXPECT_TRUE(check_given(groups[0].rollouts[0].given, 8).has_value());
}

TEST(Overlong, PunishesResponsesOfOneTurnAlone) {
  std::vector<ScoredGroup> groups(1);
  groups[0].rollouts = {response(8, FinishReason::kLength, -1), response(7, FinishReason::kStop, 1),
                        response(4, FinishReason::kStop, 1), response(9, FinishReason::kStop, 1)};
  groups[0].rollouts[3].given = {{.begin = 2, .end = 4}};
  const OverlongCounts counts = apply_overlong(groups, {.cache = 4, .longest = 8});
  EXPECT_EQ(groups[0].rollouts[0].reward, -2);
  EXPECT_EQ(groups[0].rollouts[1].reward, 0.25);
  EXPECT_EQ(groups[0].rollouts[2].reward, 1);
  EXPECT_EQ(groups[0].rollouts[3].reward, 1);
  EXPECT_EQ(counts.punished, 2u);
  EXPECT_EQ(counts.punishment, -1.75);
  EXPECT_EQ(counts.masked, 0u);
}

}  // namespace
}  // namespace redqueen
