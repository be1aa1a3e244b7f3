#include "redqueen/suites/level_rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "redqueen/suites/synthetic_learner.h"

namespace redqueen {
namespace {

constexpr int kLevelRuleRollouts = 8;

std::unique_ptr<LevelRule> rule_of(Difficulty difficulty, int high = 4, double exploration = 0.1) {
  return make_level_rule({.difficulty = difficulty, .high = high, .exploration = exploration}, 100,
                         kLevelRuleRollouts);
}

// One step in which every level's share is as given, in eighths.
void visit(LevelRule& rule, const std::map<int, int>& solved) {
  for (const auto& [level, right] : solved) {
    for (int i = 0; i < kLevelRuleRollouts; ++i) rule.record(level, i < right);
  }
  rule.end_step();
}

// Shares of 20,000 draws.
std::map<int, double> shares(const LevelRule& rule) {
  constexpr int kDraws = 20'000;
  Rng rng({.seed = 3, .purpose = hash_name("level_rule_test")});
  std::map<int, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[rule.draw(rng)] += 1.0 / kDraws;
  return shares;
}

TEST(LevelRule, LearnabilityFollowsItsFormula) {
  const auto rule = rule_of(Difficulty::kLearnability);
  for (const auto& [level, share] : shares(*rule)) EXPECT_NEAR(share, 0.2, 0.02) << level;
  visit(*rule, {{0, 8}, {1, 6}, {2, 4}, {3, 1}, {4, 0}});
  std::map<int, double> expected;
  const double p[] = {1, 0.75, 0.5, 0.125, 0};
  double sum = 0;
  for (const double one : p) sum += one * (1 - one);
  for (int i = 0; i < 5; ++i) expected[i] = 0.9 * p[i] * (1 - p[i]) / sum + 0.02;
  const auto drawn = shares(*rule);
  for (const auto& [level, share] : expected) EXPECT_NEAR(drawn.at(level), share, 0.02) << level;
}

TEST(LevelRule, TheBanditGoesWhereTheShareMovesInEitherDirection) {
  const auto rule = rule_of(Difficulty::kBandit);
  visit(*rule, {{0, 8}, {1, 8}, {2, 4}, {3, 0}, {4, 0}});
  visit(*rule, {{0, 8}, {1, 4}, {2, 8}, {3, 0}, {4, 0}});
  const auto drawn = shares(*rule);
  EXPECT_NEAR(drawn.at(1), 0.47, 0.02);
  EXPECT_NEAR(drawn.at(2), 0.47, 0.02);
  EXPECT_NEAR(drawn.at(0), 0.02, 0.01);
}

TEST(LevelRule, ReplayRanksWhatItHasSeenAndVisitsTheRest) {
  const auto rule = rule_of(Difficulty::kReplay, 4, 0.0);
  visit(*rule, {{0, 8}, {1, 4}, {2, 7}});
  const auto drawn = shares(*rule);
  EXPECT_NEAR(drawn.at(3), 0.2, 0.02);
  EXPECT_NEAR(drawn.at(4), 0.2, 0.02);
  const double second = std::pow(2.0, -1 / 0.3);
  const double third = std::pow(3.0, -1 / 0.3);
  EXPECT_NEAR(drawn.at(1), 0.6 / (1 + second + third), 0.02);
  EXPECT_NEAR(drawn.at(2), 0.6 * second / (1 + second + third), 0.02);
}

TEST(LevelRule, ReplayReturnsToWhatIsStale) {
  const auto rule = rule_of(Difficulty::kReplay, 1, 0.5);
  visit(*rule, {{0, 8}, {1, 4}});
  for (int step = 0; step < 20; ++step) visit(*rule, {{1, 4}});
  EXPECT_NEAR(shares(*rule).at(0),
              0.5 + 0.5 * std::pow(2.0, -1 / 0.3) / (1 + std::pow(2.0, -1 / 0.3)), 0.02);
}

TEST(LevelRule, NoRuleLeavesItsRangeOrForgetsItsState) {
  for (const Difficulty difficulty :
       {Difficulty::kAdaptive, Difficulty::kStatic, Difficulty::kLearnability, Difficulty::kReplay,
        Difficulty::kBandit}) {
    SCOPED_TRACE(kDifficultyNames.name(difficulty));
    const CurriculumOptions options{.difficulty = difficulty, .low = 2, .high = 50};
    const auto rule = make_level_rule(options, 7, kLevelRuleRollouts);
    const auto other = make_level_rule(options, 7, kLevelRuleRollouts);
    Rng rng({.seed = 5, .purpose = hash_name("range")});
    for (int step = 0; step < 60; ++step) {
      for (int group = 0; group < 4; ++group) {
        const int level = rule->draw(rng);
        ASSERT_GE(level, 2);
        ASSERT_LE(level, 7);
        for (int i = 0; i < kLevelRuleRollouts; ++i) rule->record(level, rng.chance(0.95));
      }
      if (step % 2 == 0) rule->end_step();
      ASSERT_TRUE(other->restore(*parse_json(dump_json(rule->state()))));
      ASSERT_EQ(other->row(), rule->row());
      Rng one({.seed = 6, .step = static_cast<std::uint64_t>(step)});
      Rng two = one;
      for (int i = 0; i < 10; ++i) ASSERT_EQ(rule->draw(one), other->draw(two));
    }
    EXPECT_FALSE(rule->restore(Json::array()));
    EXPECT_FALSE(rule->restore(Json{{"step", 1}, {"levels", Json::array()}}));
  }
}

// `train --resume RUN --set curriculum.high=2` draws from the range that it names.
TEST(LevelRule, AStaticRangeIsThatOfTheConfiguration) {
  const auto before = rule_of(Difficulty::kStatic, 20);
  before->record(20, true);
  const auto after = rule_of(Difficulty::kStatic, 2);
  ASSERT_TRUE(after->restore(before->state()));
  EXPECT_EQ(after->row(), (run::CurriculumState{.lower_level = 0, .upper_level = 2}));
  Rng rng({.seed = 3});
  for (int i = 0; i < 50; ++i) EXPECT_LE(after->draw(rng), 2);
}

TEST(LevelRule, AnAdaptiveRangeDoesNotBeginWhereAStaticOneEnds) {
  const auto before = rule_of(Difficulty::kStatic, 20);
  const auto after = rule_of(Difficulty::kAdaptive, 20);
  ASSERT_TRUE(after->restore(before->state()));
  EXPECT_EQ(after->row().upper_level, 0);
}

TEST(LevelRule, RecordsOfOtherLevelsAreRefused) {
  CurriculumOptions options{.difficulty = Difficulty::kBandit, .low = 2, .high = 5};
  const auto before = make_level_rule(options, 20, kLevelRuleRollouts);
  options.low = 4;
  options.high = 7;
  const auto moved = make_level_rule(options, 20, kLevelRuleRollouts)->restore(before->state());
  ASSERT_FALSE(moved);
  EXPECT_EQ(moved.error().message,
            "it has 4 levels from 2 on where the configuration has 4 from 4 on");
}

// What docs/training.md says of the rules.
TEST(LevelRule, OnSyntheticLearners) {
  const auto played = [](Difficulty difficulty, int forgets_at) {
    return simulate({.difficulty = difficulty}, {.forgets_at = forgets_at});
  };
  const double uniform = played(Difficulty::kStatic, 0).skill;
  for (const Difficulty follows :
       {Difficulty::kAdaptive, Difficulty::kLearnability, Difficulty::kReplay}) {
    EXPECT_GT(played(follows, 0).skill, 1.2 * uniform) << kDifficultyNames.name(follows);
  }
  const double stuck = played(Difficulty::kAdaptive, 200).skill;
  for (const Difficulty goes_down :
       {Difficulty::kLearnability, Difficulty::kReplay, Difficulty::kBandit}) {
    EXPECT_GT(played(goes_down, 200).skill, stuck) << kDifficultyNames.name(goes_down);
  }
}

}  // namespace
}  // namespace redqueen
