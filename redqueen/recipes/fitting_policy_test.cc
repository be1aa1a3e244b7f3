#include "redqueen/recipes/fitting_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace redqueen {
namespace {

using testing::HasSubstr;

// Answers with the prompt; nothing of more than five characters fits.
class ShortSighted final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      if (!fits(request.prompt)) return usage_error("too long");
      groups.push_back({{1}, {}});
      for (const RandomAddress& rollout : request.rollouts) {
        groups.back().completions.push_back(
            {.text = fmt::format("{} {}", request.prompt, rollout.index), .tokens = {2}});
      }
    }
    return groups;
  }
  bool fits(std::string_view prompt) const override { return prompt.size() <= 5; }
  std::string_view name() const override { return "short-sighted"; }
};

class FittingPolicyTest : public testing::Test {
 protected:
  static SampleRequest ask(std::string prompt) {
    return {std::move(prompt), {{.index = 7}, {.index = 8}}};
  }
  Expected<std::vector<CompletionGroup>> sample(const std::vector<SampleRequest>& requests) {
    return policy_.sample(requests, {});
  }

  ShortSighted inner_;
  std::ostringstream said_;
  Progress progress_{said_, ProgressMode::kQuiet};
  FittingPolicy policy_{inner_, progress_};
};

TEST_F(FittingPolicyTest, AnswersNothingToWhatDoesNotFit) {
  const auto groups = sample({ask("longer"), ask("short"), ask("very long"), ask("")});
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 4u);
  for (const std::size_t i : {0u, 2u}) {
    EXPECT_TRUE((*groups)[i].prompt_tokens.empty());
    ASSERT_EQ((*groups)[i].completions.size(), 2u);
    for (const Completion& completion : (*groups)[i].completions) {
      EXPECT_EQ(completion.text, "");
      EXPECT_TRUE(completion.tokens.empty());
      EXPECT_EQ(completion.finish, FinishReason::kLength);
    }
  }
  EXPECT_EQ((*groups)[1].completions[1].text, "short 8");
  EXPECT_EQ((*groups)[3].completions[0].text, " 7");
  EXPECT_EQ(policy_.too_long(), 2);
  EXPECT_THAT(said_.str(), HasSubstr("context of short-sighted: 2;"));
}

TEST_F(FittingPolicyTest, FailsUntilSomethingHasFitted) {
  EXPECT_FALSE(sample({ask("longer"), ask("longer still")}));
  ASSERT_TRUE(sample({ask("short")}));
  const auto groups = sample({ask("longer"), ask("longer still")});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->size(), 2u);
  EXPECT_TRUE(sample({})->empty());
}

TEST_F(FittingPolicyTest, TellsTheUserLessAndLessOften) {
  ASSERT_TRUE(sample({ask("short")}));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(sample({ask("longer")}));
  const std::string said = said_.str();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 7) << said;  // at 1, 2, 4, …, 64
}

}  // namespace
}  // namespace redqueen
