#include "redqueen/recipes/genenv/rewards.h"

#include <gtest/gtest.h>

#include <cmath>

#include "redqueen/base/rng.h"
#include "redqueen/core/reward.h"

namespace redqueen::genenv {
namespace {

Card card_of(AnswerKind answer, Scoring scoring) {
  return {.name = "Any",
          .family = Family::kStrings,
          .answer = answer,
          .scoring = scoring,
          .task = "",
          .levels = "",
          .rewards = ""};
}

TEST(AgentReward, FollowsEquationOne) {
  const Card exact = card_of(AnswerKind::kInteger, Scoring::kExact);
  const Card graded = card_of(AnswerKind::kIntegerList, Scoring::kElementWise);
  const Card text = card_of(AnswerKind::kString, Scoring::kExact);
  using Rule = AgentRewardRule;
  struct Row {
    Rule rule;
    const Card& card;
    Verdict verdict;
    std::string_view answer;
    double expected;
  };
  const Verdict right = verdict_of(1);
  const Verdict wrong = verdict_of(0);
  const Verdict half = verdict_of(0.5);
  const Verdict malformed;
  const std::vector<Row> rows = {
      {Rule::kExact, exact, right, "7", 1},        {Rule::kExact, exact, wrong, "8", 0},
      {Rule::kExact, graded, half, "1 2", 0},      {Rule::kExact, exact, malformed, "", 0},
      {Rule::kPartial, exact, half, "7", 0},       {Rule::kPartial, graded, half, "1 2", 0.5},
      {Rule::kPartial, graded, malformed, "", 0},  {Rule::kPartial, graded, right, "", 1},
      {Rule::kPartial, text, wrong, "red fox", 0}, {Rule::kSimilarity, graded, half, "1 2", 0.5},
      {Rule::kSimilarity, exact, wrong, "7", 0},   {Rule::kSimilarity, text, wrong, "red fox", 0.8},
      {Rule::kSimilarity, text, right, "no", 1},
  };
  for (const Row& row : rows) {
    EXPECT_DOUBLE_EQ(agent_reward(row.rule, row.card, row.verdict, row.answer, "the red fox"),
                     row.expected)
        << kAgentRewardRuleNames.name(row.rule) << " " << row.answer;
  }
}

// The same words in another order are not the right answer: their reward stays below 1.
TEST(AgentReward, OnlyWhatIsRightEarnsOne) {
  const Card text = card_of(AnswerKind::kString, Scoring::kExact);
  EXPECT_LT(agent_reward(AgentRewardRule::kSimilarity, text, verdict_of(0), "fox red", "red fox"),
            1);
  const Card graded = card_of(AnswerKind::kIntegerList, Scoring::kElementWise);
  EXPECT_LT(agent_reward(AgentRewardRule::kPartial, graded, verdict_of(kAlmostSolved), "", ""), 1);
}

TEST(TokenF1, CountsWordsOfBoth) {
  EXPECT_DOUBLE_EQ(token_f1("Paris", "paris."), 1);
  EXPECT_DOUBLE_EQ(token_f1("", ""), 1);
  EXPECT_DOUBLE_EQ(token_f1("?!", " \n"), 1);
  EXPECT_DOUBLE_EQ(token_f1("", "paris"), 0);
  EXPECT_DOUBLE_EQ(token_f1("london", "paris"), 0);
  // Precision 1/2, recall 1.
  EXPECT_DOUBLE_EQ(token_f1("in paris", "paris"), 2.0 / 3);
  // "a" stands twice in one text and once in the other.
  EXPECT_DOUBLE_EQ(token_f1("a a b", "a c"), 2.0 / 5);
  EXPECT_DOUBLE_EQ(token_f1("Zürich", "zürich"), 1);
}

TEST(TokenF1, IsSymmetricAndBoundedForAnyBytes) {
  Rng rng({.seed = 1});
  for (int i = 0; i < 500; ++i) {
    std::string one;
    std::string other;
    for (std::int64_t n = rng.integer(0, 30); n > 0; --n) one += static_cast<char>(rng.below(256));
    for (std::int64_t n = rng.integer(0, 30); n > 0; --n)
      other += static_cast<char>(rng.below(256));
    const double f1 = token_f1(one, other);
    EXPECT_GE(f1, 0);
    EXPECT_LE(f1, 1);
    EXPECT_EQ(f1, token_f1(other, one));
    EXPECT_EQ(token_f1(one, one), 1);
  }
}

TEST(Tally, IsTakenOverVariationsAndAttempts) {
  // Two variations with four attempts each: 3 and 1 right.
  Tally batch;
  batch.add({.attempts = 4, .successes = 3});
  batch.add({.attempts = 4, .successes = 1});
  EXPECT_EQ(batch.rate(), 0.5);
  EXPECT_TRUE(std::isnan(Tally().rate()));
}

TEST(EnvironmentReward, FollowsEquationTwo) {
  struct Row {
    double success, target, sharpness, expected;
  };
  for (const auto& [success, target, sharpness, expected] :
       std::vector<Row>{{0.5, 0.5, 2, 1},
                        {0.0, 0.5, 2, 0.6065306597126334},  // e^(−1/2)
                        {1.0, 0.5, 2, 0.6065306597126334},
                        {0.25, 0.5, 2, 0.8824969025845955},    // e^(−1/8)
                        {0.0, 0.5, 20, 0.006737946999085467},  // e^(−5)
                        {0.9, 0.7, 4, 0.8521437889662113}}) {  // e^(−0.16)
    EXPECT_NEAR(environment_reward(success, target, sharpness), expected, 1e-15);
  }
}

// Remark 3.3: at α = 1/2 the reward orders tasks as the variance p(1 − p) does.
TEST(EnvironmentReward, OrdersAsTheVarianceDoes) {
  for (int a = 0; a <= 20; ++a) {
    for (int b = 0; b <= 20; ++b) {
      const int variance_a = a * (20 - a);
      const int variance_b = b * (20 - b);
      if (variance_a <= variance_b) continue;
      EXPECT_GT(environment_reward(a / 20.0, 0.5, 2), environment_reward(b / 20.0, 0.5, 2));
    }
  }
}

TEST(InBand, HoldsItsBoundsInsideInSpiteOfRounding) {
  for (int n = 1; n <= 40; ++n) {
    for (int k = 0; k <= n; ++k) {
      const double p = static_cast<double>(k) / n;
      // |k/n − 1/2| ≤ 1/10, in whole numbers.
      EXPECT_EQ(in_band(p, 0.5, 0.1), std::abs(10 * k - 5 * n) <= n) << k << "/" << n;
    }
  }
  EXPECT_FALSE(in_band(std::nan(""), 0.5, 1));
  EXPECT_TRUE(in_band(0, 0.5, 1));
}

TEST(RegressionWeights, AreProportionalToTheExponential) {
  const std::vector<double> rewards{1.0, 0.5, 0.0};
  const auto weights = regression_weights(rewards, 1);
  EXPECT_NEAR(weights[0] / weights[2], std::exp(1.0), 1e-12);
  EXPECT_NEAR(weights[1] / weights[2], std::exp(0.5), 1e-12);
  EXPECT_NEAR(weights[0] + weights[1] + weights[2], 3, 1e-12);
  EXPECT_EQ(regression_weights(rewards, 0), (std::vector<double>{1, 1, 1}));
  EXPECT_TRUE(regression_weights({}, 1).empty());
  // No λ overflows.
  const auto steep = regression_weights(rewards, 1e6);
  EXPECT_EQ(steep, (std::vector<double>{3, 0, 0}));
}

}  // namespace
}  // namespace redqueen::genenv
