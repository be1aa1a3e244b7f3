#include "redqueen/train/advantage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "redqueen/train/testing/groups.h"

namespace redqueen {
namespace {

// Whether two groups stand in one pool, straight from the papers' definitions.
bool same_pool(const ScoredGroup& a, std::size_t i, const ScoredGroup& b, std::size_t j) {
  if (a.rule != b.rule) return false;
  switch (a.rule) {
    case AdvantageRule::kGroupNormalised:
    case AdvantageRule::kGroupMean:
      return i == j;
    case AdvantageRule::kRoleTaskNormalised:
      return a.role == b.role && a.task == b.task;
    default:
      return true;
  }
}

// The formula of the rule, written out for one rollout.
double direct_advantage(const std::vector<ScoredGroup>& groups, std::size_t i, std::size_t k,
                        double epsilon) {
  const double reward = groups[i].rollouts[k].reward;
  if (groups[i].rule == AdvantageRule::kWeight) return reward;
  long double sum = 0;
  long double squares = 0;
  long double count = 0;
  for (std::size_t j = 0; j < groups.size(); ++j) {
    if (!same_pool(groups[i], i, groups[j], j)) continue;
    for (const ScoredRollout& rollout : groups[j].rollouts) {
      sum += rollout.reward;
      squares += static_cast<long double>(rollout.reward) * rollout.reward;
      count += 1;
    }
  }
  const long double mean = sum / count;
  if (groups[i].rule == AdvantageRule::kGroupMean) return static_cast<double>(reward - mean);
  if (count < 2) return 0;
  const long double variance = (squares - count * mean * mean) / (count - 1);
  return static_cast<double>((reward - mean) / (std::sqrt(variance) + epsilon));
}

class EveryRule : public testing::TestWithParam<AdvantageRule> {};

TEST_P(EveryRule, EqualsTheFormula) {
  Rng rng({.seed = 1, .purpose = hash_name("advantage_test")});
  for (int trial = 0; trial < 50; ++trial) {
    const auto groups = random_groups(rng, {.groups = 12, .max_rollouts = 9}, GetParam());
    const std::vector<double> result = advantages(groups);
    std::size_t next = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = 0; k < groups[i].rollouts.size(); ++k, ++next) {
        ASSERT_NEAR(result.at(next), direct_advantage(groups, i, k, kAdvantageEpsilon), 1e-9);
      }
    }
    EXPECT_EQ(result.size(), next);
  }
}

INSTANTIATE_TEST_SUITE_P(Advantage, EveryRule,
                         testing::Values(AdvantageRule::kGroupNormalised, AdvantageRule::kGroupMean,
                                         AdvantageRule::kBatchNormalised,
                                         AdvantageRule::kRoleTaskNormalised,
                                         AdvantageRule::kWeight));

TEST(Advantage, RulesOfOneBatchDoNotDisturbEachOther) {
  Rng rng({.seed = 2, .purpose = hash_name("advantage_test")});
  auto grpo = random_groups(rng, {}, AdvantageRule::kGroupNormalised);
  const auto batch = random_groups(rng, {}, AdvantageRule::kBatchNormalised);
  std::vector<double> expected = advantages(grpo);
  const std::vector<double> second = advantages(batch);
  expected.insert(expected.end(), second.begin(), second.end());
  grpo.insert(grpo.end(), batch.begin(), batch.end());
  EXPECT_EQ(advantages(grpo), expected);
}

TEST(Advantage, IsWeighedAfterItsPoolWasMeasured) {
  Rng rng({.seed = 3, .purpose = hash_name("advantage_test")});
  for (const auto rule : {AdvantageRule::kGroupNormalised, AdvantageRule::kBatchNormalised}) {
    auto groups = random_groups(rng, {.groups = 6, .max_rollouts = 5}, rule);
    const std::vector<double> plain = advantages(groups);
    groups[2].loss_weight = 0.3;
    const std::vector<double> weighed = advantages(groups);
    std::size_t next = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (std::size_t k = 0; k < groups[i].rollouts.size(); ++k, ++next)
        EXPECT_DOUBLE_EQ(weighed.at(next), (i == 2 ? 0.3 : 1.0) * plain.at(next));
    }
  }
}

TEST(Advantage, EqualRewardsTeachNothing) {
  for (const auto rule : {AdvantageRule::kGroupNormalised, AdvantageRule::kGroupMean,
                          AdvantageRule::kBatchNormalised, AdvantageRule::kRoleTaskNormalised}) {
    ScoredGroup group;
    group.rule = rule;
    group.rollouts.resize(7);
    for (ScoredRollout& rollout : group.rollouts) rollout.reward = 0.1;  // 7 · 0.1 / 7 is not 0.1
    EXPECT_EQ(advantages(std::vector{group, group}), std::vector<double>(14, 0.0));
  }
}

TEST(Advantage, SurvivesEmptyGroups) {
  ScoredGroup empty;
  EXPECT_TRUE(advantages({}).empty());
  EXPECT_TRUE(advantages(std::vector{empty, empty}).empty());
}

}  // namespace
}  // namespace redqueen
