#include "redqueen/recipes/rlve/rlve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "redqueen/suites/split.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen::rlve {
namespace {

TrainSettings settings() {
  TrainSettings settings;
  settings.policy.prompt_format = "terse";
  settings.batch = {.prompts = 4, .sampled_prompts = 8, .rollouts = 4, .max_rounds = 3};
  settings.curriculum.minimum_groups = 2;
  return settings;
}

TEST(Rlve, DropsGroupsWithoutVarianceAndReportsTheRatio) {
  EchoPolicy always_right(9);
  const auto recipe = make_rlve(settings(), echo_suite(), always_right).value();
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch.has_value()) << batch.error().message;
  EXPECT_TRUE(batch->groups.empty()) << "every group is solved throughout: nothing to learn";
  EXPECT_EQ(always_right.prompts.size(), 24u) << "three rounds of eight prompts";
  for (const run::MetricValue& value : batch->metrics) {
    if (value.name == run::metric::kEffectivePrompts) {
      EXPECT_EQ(value.value, 0.0);
    }
    if (value.name == run::metric::kSolved) {
      EXPECT_EQ(value.value, 1.0);
    }
    if (value.name == run::metric::kResponseTokens) {
      EXPECT_EQ(value.value, 2.0);
    }
  }

  EchoPolicy sometimes(9, 2);
  const auto mixed = make_rlve(settings(), echo_suite(), sometimes).value()->step(1);
  ASSERT_TRUE(mixed.has_value());
  EXPECT_EQ(mixed->groups.size(), 4u);
  for (const ScoredGroup& group : mixed->groups) {
    ASSERT_EQ(group.rollouts.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(group.rollouts[i].solved, i % 2 == 1);
  }
}

double value_of(const RecipeBatch& batch, std::string_view name) {
  return run::value_of(batch.metrics, name).value_or(-1);
}

// Pays 0.5, 0.501 and so on for wrong answers.
struct Shaped : Echo {
  static constexpr Card card{.name = "Shaped",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.5.",
                             .max_level = 5};
  static double score(const Problem& problem, const Answer& answer) {
    return std::max(0.5, Echo::score(problem, answer));
  }
};

TEST(Rlve, TrainsOnShapedRewardsOrOnWhatIsSolved) {
  const NativeEnvironment<Shaped> shaped;
  const Suite suite{.name = "shaped", .environments = {&shaped}};
  for (const auto& [name, kind] : kRewardKindNames.list) {
    EchoPolicy sometimes(9, 2);
    TrainSettings asked = settings();
    asked.reward = kind;
    const auto batch = make_rlve(asked, suite, sometimes).value()->step(1);
    ASSERT_TRUE(batch.has_value()) << batch.error().message;
    ASSERT_EQ(batch->groups.size(), 4u);
    for (const ScoredRollout& rollout : batch->groups[0].rollouts) {
      const double wrong = kind == RewardKind::kShaped ? 0.5 : 0.0;
      EXPECT_EQ(rollout.reward, rollout.solved ? 1.0 : wrong) << name;
    }
    EXPECT_EQ(value_of(*batch, "effective_prompt_ratio/shaped"), 1.0);
    EXPECT_EQ(value_of(*batch, "effective_prompt_ratio/solved"), 1.0);
  }
}

TEST(Rlve, DrawsOtherProblemsInEveryRound) {
  EchoPolicy always_right(9);
  TrainSettings recorded = settings();
  recorded.run.record_rollouts = 100;
  const auto batch = make_rlve(recorded, echo_suite(), always_right).value()->step(1);
  ASSERT_TRUE(batch.has_value()) << batch.error().message;
  std::set<std::string> addresses;
  for (const run::RolloutRecord& record : batch->rollouts) addresses.insert(record.problem_address);
  EXPECT_EQ(addresses.size(), 24u) << "three rounds of eight problems";
}

// Fails to make two problems of three, or all.
template <bool kAlways>
struct Flaky : RepeatNumber {
  static inline std::atomic<int> failures = 0;
  static constexpr Card card{.name = kAlways ? "Hopeless" : "Flaky",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "1 if right, else 0.",
                             .max_level = 5};
  static Problem generate(const Config& config, Rng& rng) {
    if (kAlways || rng.chance(2.0 / 3)) {
      ++failures;
      throw std::runtime_error("out of luck");
    }
    return RepeatNumber::generate(config, rng);
  }
};

TEST(Rlve, DrawsAnotherProblemWhereOneCannotBeMade) {
  const NativeEnvironment<Flaky<false>> flaky;
  EchoPolicy policy(9, 2);
  const auto recipe =
      make_rlve(settings(), {.name = "flaky", .environments = {&flaky}}, policy).value();
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch.has_value()) << batch.error().message;
  EXPECT_EQ(batch->groups.size(), 4u);
  EXPECT_GT(Flaky<false>::failures, 0);
  EXPECT_THAT(
      batch->metrics,
      testing::Contains(testing::AllOf(
          testing::Field(&run::MetricValue::name, "failed_generations/Flaky"),
          testing::Field(&run::MetricValue::value, static_cast<double>(Flaky<false>::failures)))));
}

TEST(Rlve, GivesUpOnProblemsThatAreNeverMade) {
  const NativeEnvironment<Flaky<true>> hopeless;
  EchoPolicy policy(9, 2);
  const auto recipe =
      make_rlve(settings(), {.name = "hopeless", .environments = {&hopeless}}, policy).value();
  const auto batch = recipe->step(1);
  ASSERT_FALSE(batch.has_value());
  EXPECT_THAT(batch.error().message,
              testing::HasSubstr("20 problems in a row could not be generated"));
  EXPECT_EQ(Flaky<true>::failures, 8 * 20) << "eight places, of twenty attempts each";
}

TEST(Rlve, ClimbsAsFarAsThePolicyCan) {
  EchoPolicy three_digits(3);
  const auto recipe = make_rlve(settings(), echo_suite(), three_digits).value();
  for (std::int64_t step = 1; step <= 30; ++step) {
    ASSERT_TRUE(recipe->step(step).has_value());
    recipe->end_step();
  }
  const run::CurriculumState state = recipe->curriculum().front();
  EXPECT_EQ(state.upper_level, 3)
      << "numbers of three digits are level 2, so level 3 is reached and stays";
}

TEST(Rlve, MakesTheSameStepFromItsNumberAlone) {
  EchoPolicy first(9, 2);
  EchoPolicy second(9, 2);
  const auto one = make_rlve(settings(), echo_suite(), first).value();
  const auto other = make_rlve(settings(), echo_suite(), second).value();
  for (std::int64_t step = 1; step <= 4; ++step) {
    ASSERT_TRUE(one->step(step).has_value());
    if (step == 3) {
      second.prompts.clear();
      ASSERT_TRUE(other->restore(one->state()).has_value());
    }
    if (step < 4) first.prompts.clear();
  }
  ASSERT_TRUE(other->step(4).has_value());
  EXPECT_EQ(first.prompts, second.prompts);
}

TEST(Rlve, SharesNoProblemWithEvaluationOrWarmStart) {
  EchoPolicy policy(9, 2);
  const auto recipe = make_rlve(settings(), echo_suite(), policy).value();
  std::set<std::string> trained;
  for (std::int64_t step = 1; step <= 3; ++step) {
    const auto batch = recipe->step(step);
    ASSERT_TRUE(batch.has_value()) << batch.error().message;
    for (const run::RolloutRecord& record : batch->rollouts) trained.insert(record.problem_address);
  }
  for (const std::string& problem_address : trained) {
    EXPECT_EQ(ProblemAddress::parse(problem_address)->salt, training_salt(settings().run.seed));
  }
  EXPECT_GT(trained.size(), 10u);
}

}  // namespace
}  // namespace redqueen::rlve
