#include "redqueen/session/time_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/session/load_policy.h"
#include "redqueen/session/testing/small_policies.h"

namespace redqueen {
namespace {

using testing::MatchesRegex;

// A run without a suite, whose prompts have 100 tokens.
class TimePlanOfARun : public SmallPolicies {
 protected:
  TimePlanOfARun() {
    settings_.run.steps = 10;
    settings_.suite = "none";
    settings_.batch.prompts = 2;
    settings_.batch.rollouts = 8;
    settings_.evaluation.before = settings_.evaluation.after = false;
  }

  TimePlan plan(int processes = 1) const {
    const SamplingDemand call{
        .prompts = 4, .responses = 32, .prompt_tokens = 100, .response_tokens = 20};
    return plan_time(shared_engine(), settings_, pace_, {&call, 1}, processes, 0);
  }

  const Pace pace_{.prompt_token = 0.01, .decoding_step = 0.1, .rows = 8};
};

TEST_F(TimePlanOfARun, AddsUpWhatIsSampledAndWhatIsTrained) {
  // Read: 400 tokens. Decoded: 20 steps of four times eight rows. Trained: two groups of one prompt
  // and eight responses, at three times the price.
  const double sampling = 400 * 0.01 + 4 * 20 * 0.1;
  EXPECT_DOUBLE_EQ(plan().step, sampling + 2 * (100 + 8 * 20) * 0.03);
  EXPECT_EQ(plan().evaluation, 0);
  settings_.trainer.share_prefix = false;
  EXPECT_DOUBLE_EQ(plan().step, sampling + 2 * 8 * 120 * 0.03);
  EXPECT_DOUBLE_EQ(plan(2).step, plan().step / 2);
}

TEST_F(TimePlanOfARun, IsTakenBeforeAnythingIsLearntAndChangesNothing) {
  initialise("policy", 1);
  settings_.policy.path = (folder_ / "policy").string();
  const auto policy = load_policy(settings_);
  ASSERT_TRUE(policy) << policy.error().message;
  const SampleRequest request{.prompt = "1 + 1 =", .addresses = {{.seed = 3}}};
  const auto before = (*policy)->sample({&request, 1}, {.max_new_tokens = 8});
  const auto pace = measure_pace(**policy, 4);
  const auto after = (*policy)->sample({&request, 1}, {.max_new_tokens = 8});
  ASSERT_TRUE(pace && before && after);
  EXPECT_GT(pace->prompt_token, 0);
  EXPECT_GT(pace->decoding_step, 0);
  EXPECT_EQ((*before)[0].completions[0].tokens, (*after)[0].completions[0].tokens);
}

TEST_F(TimePlanOfARun, IsOneSentence) {
  settings_.sampling.max_new_tokens = 20;
  EXPECT_THAT(time_plan_text({.step = 21.4, .evaluation = 60}, pace_, settings_, 4),
              MatchesRegex("plan: about 21s a step and 3m08s in all, of which 1m00s for "
                           "evaluations.* 20 tokens.*10.0 ms a prompt token.*100.0 ms.*"));
  EXPECT_THAT(time_plan_text({.step = 0.42}, pace_, settings_, 0),
              MatchesRegex("plan: about 0.4s a step and 4s in all.*"));
}

class Silent final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest>,
                                                const SampleParameters&) override {
    return failure("out of order");
  }
  std::string_view name() const override { return "silent"; }
};

TEST(TimePlan, ThereIsNoneOfAPolicyThatAnswersNothing) {
  Silent silent;
  EXPECT_FALSE(measure_pace(silent, 4));
}

}  // namespace
}  // namespace redqueen
