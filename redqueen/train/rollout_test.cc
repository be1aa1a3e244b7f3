#include "redqueen/train/rollout.h"

#include <gtest/gtest.h>

#include "redqueen/train/testing/groups.h"

namespace redqueen {
namespace {

// One flag a token, marked run by run.
std::vector<bool> marked(std::span<const TokenRun> runs, std::size_t length) {
  std::vector<bool> marks(length, false);
  for (const TokenRun& run : runs) {
    for (std::size_t t = run.begin; t < run.end; ++t) {
      EXPECT_FALSE(marks.at(t)) << "token " << t << " lies in two runs";
      marks[t] = true;
    }
  }
  return marks;
}

TEST(Rollout, EveryTokenIsEitherGivenOrDrawn) {
  Rng rng({.seed = 1, .purpose = hash_name("rollout_test")});
  const auto groups =
      random_groups(rng, {.groups = 60, .min_response = 0, .max_response = 20, .turns = true},
                    AdvantageRule::kWeight);
  for (const ScoredGroup& group : groups) {
    for (const ScoredRollout& rollout : group.rollouts) {
      const std::size_t length = rollout.completion.tokens.size();
      ASSERT_TRUE(check_given(rollout.given, length));
      const auto given = marked(rollout.given, length);
      const auto drawn = marked(drawn_runs(rollout), length);
      std::size_t count = 0;
      for (std::size_t t = 0; t < length; ++t) {
        ASSERT_NE(given[t], drawn[t]);
        count += drawn[t] ? 1 : 0;
      }
      ASSERT_EQ(drawn_tokens(rollout), count);
    }
  }
}

TEST(Rollout, TurnsAreAppended) {
  const Completion call{"call", {1, 2}, {-0.5F, -0.25F}, FinishReason::kStop};
  const Completion answer{"answer", {7}, {-1.0F}, FinishReason::kLength};
  ScoredRollout rollout;
  append_drawn(rollout, call);
  append_given(rollout, std::vector<Token>{4, 5, 6}, "[result]");
  append_given(rollout, {}, "");
  append_drawn(rollout, answer);
  EXPECT_EQ(rollout.completion.text, "call[result]answer");
  EXPECT_EQ(rollout.completion.tokens, (std::vector<Token>{1, 2, 4, 5, 6, 7}));
  EXPECT_EQ(rollout.completion.log_probs, (std::vector<float>{-0.5F, -0.25F, 0, 0, 0, -1}));
  EXPECT_EQ(rollout.completion.finish, FinishReason::kLength);
  EXPECT_EQ(rollout.given, (std::vector<TokenRun>{{2, 5}}));
}

TEST(Rollout, OneTurnWithoutLogProbabilitiesLeavesNone) {
  const Completion known{"a", {1, 2}, {-0.5F, -0.25F}, FinishReason::kStop};
  const Completion unknown{"b", {3}, {}, FinishReason::kStop};
  for (const bool first : {false, true}) {
    ScoredRollout rollout;
    append_drawn(rollout, first ? unknown : known);
    append_given(rollout, std::vector<Token>{4}, "");
    append_drawn(rollout, first ? known : unknown);
    append_given(rollout, std::vector<Token>{5}, "");
    EXPECT_TRUE(rollout.completion.log_probs.empty());
    EXPECT_EQ(rollout.completion.tokens.size(), 5U);
  }
}

}  // namespace
}  // namespace redqueen
