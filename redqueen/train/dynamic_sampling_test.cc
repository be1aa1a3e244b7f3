#include "redqueen/train/dynamic_sampling.h"

#include <gtest/gtest.h>

#include <string>

#include "redqueen/base/rng.h"

namespace redqueen {
namespace {

// A group whose name tells when it was sampled.
ScoredGroup group_of(const std::string& task, std::vector<double> rewards) {
  ScoredGroup group;
  group.task = task;
  for (const double reward : rewards) {
    group.rollouts.emplace_back();
    group.rollouts.back().reward = reward;
  }
  return group;
}

std::vector<std::string> tasks(const std::vector<ScoredGroup>& groups) {
  std::vector<std::string> names;
  for (const ScoredGroup& group : groups) names.push_back(group.task);
  return names;
}

TEST(DynamicSampling, VarianceIsAnyDifferenceOfRewards) {
  EXPECT_FALSE(has_variance(group_of("", {})));
  EXPECT_FALSE(has_variance(group_of("", {0.3})));
  EXPECT_FALSE(has_variance(group_of("", {0.3, 0.3, 0.3})));
  EXPECT_FALSE(has_variance(group_of("", {0.3, 0.3, 0.3000001})));
  EXPECT_FALSE(has_variance(group_of("", {0.001, 0.0, 0.006})));
  EXPECT_TRUE(has_variance(group_of("", {0.3, 0.3, 0.32})));
}

// Against a plain account of what a random sampler handed out.
TEST(DynamicSampling, KeepsWhatVariesInOrderAndCountsEverything) {
  Rng rng({.seed = 6, .purpose = hash_name("dynamic_sampling_test")});
  for (int trial = 0; trial < 300; ++trial) {
    const bool keep = rng.chance(0.5);
    const DynamicSamplingOptions options{static_cast<std::size_t>(rng.integer(1, 12)),
                                         static_cast<int>(rng.integer(1, 5)),
                                         keep ? Surplus::kKeep : Surplus::kDrop};
    std::vector<ScoredGroup> carried;
    std::vector<std::string> expected;
    for (std::int64_t i = rng.integer(0, 3); i > 0; --i) {
      carried.push_back(group_of("carried" + std::to_string(i), {0, 1}));
      expected.push_back(carried.back().task);
    }
    std::size_t sampled = 0;
    std::size_t varied = 0;
    int rounds = 0;
    const auto sampler = [&](int round, std::size_t missing) -> Expected<std::vector<ScoredGroup>> {
      EXPECT_EQ(round, rounds++);
      EXPECT_EQ(missing, options.groups - expected.size());
      std::vector<ScoredGroup> groups;
      for (std::int64_t i = rng.integer(1, 6); i > 0; --i) {
        const bool varies = rng.chance(0.4);
        groups.push_back(group_of(std::to_string(sampled++), {1, varies ? 0.0 : 1.0}));
        if (varies) {
          ++varied;
          expected.push_back(groups.back().task);
        }
      }
      return groups;
    };
    const auto batch = sample_dynamically(options, sampler, carried);
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->rounds, rounds);
    EXPECT_LE(rounds, options.max_rounds);
    EXPECT_EQ(batch->sampled, sampled);
    EXPECT_EQ(batch->kept, varied);
    EXPECT_EQ(batch->full, expected.size() >= options.groups);
    EXPECT_TRUE(batch->full || rounds == options.max_rounds);
    if (sampled > 0) {
      EXPECT_DOUBLE_EQ(batch->effective_prompt_ratio(),
                       static_cast<double>(varied) / static_cast<double>(sampled));
    }
    auto all = tasks(batch->groups);
    EXPECT_LE(all.size(), options.groups);
    const auto surplus = tasks(batch->surplus);
    EXPECT_TRUE(keep || surplus.empty());
    all.insert(all.end(), surplus.begin(), surplus.end());
    if (!keep && expected.size() > options.groups) expected.resize(options.groups);
    EXPECT_EQ(all, expected);
  }
}

TEST(DynamicSampling, PassesOnTheSamplersError) {
  const auto batch =
      sample_dynamically({.groups = 2}, [](int, std::size_t) -> Expected<std::vector<ScoredGroup>> {
        return failure("the model is gone");
      });
  ASSERT_FALSE(batch.has_value());
  EXPECT_EQ(batch.error().message, "the model is gone");
}

TEST(DynamicSampling, AnEmptyRoundIsAnErrorNotALoop) {
  const auto batch = sample_dynamically(
      {.groups = 2}, [](int, std::size_t) { return Expected<std::vector<ScoredGroup>>{}; });
  EXPECT_FALSE(batch.has_value());
}

TEST(DynamicSampling, AnEmptyRoundIsSampledOnWhereItMayBe) {
  const auto batch =
      sample_dynamically({.groups = 1, .rounds_may_be_empty = true},
                         [](int round, std::size_t) -> Expected<std::vector<ScoredGroup>> {
                           if (round < 3) return std::vector<ScoredGroup>{};
                           return std::vector<ScoredGroup>{group_of("a", {0, 1})};
                         });
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(tasks(batch->groups), std::vector<std::string>{"a"});
  EXPECT_EQ(batch->rounds, 4);
}

TEST(DynamicSampling, ACarriedBatchThatIsFullNeedsNoRound) {
  const auto batch = sample_dynamically(
      {.groups = 1, .surplus = Surplus::kKeep},
      [](int, std::size_t) -> Expected<std::vector<ScoredGroup>> { return failure("not asked"); },
      {group_of("a", {0, 1}), group_of("b", {0, 1})});
  ASSERT_TRUE(batch.has_value());
  EXPECT_EQ(tasks(batch->surplus), std::vector<std::string>{"b"});
  EXPECT_EQ(batch->effective_prompt_ratio(), 0);
}

}  // namespace
}  // namespace redqueen
