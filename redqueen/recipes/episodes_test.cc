#include "redqueen/recipes/episodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/core/batch.h"
#include "redqueen/core/testing/folder.h"
#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/suites/testing/echo.h"
#include "redqueen/text/testing/chat_folders.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

const NativeEnvironment<HiddenNumber> kHiddenNumber;

ProblemPtr problem_of(const Environment& environment, int level, std::size_t seed) {
  return environment.generate(level, seed).value();
}

std::vector<RandomAddress> addresses(std::size_t index, std::size_t count) {
  std::vector<RandomAddress> all;
  for (std::size_t j = 0; j < count; ++j) all.push_back({.seed = 5, .index = index, .salt = j});
  return all;
}

// Finds hidden numbers by halving the range that it reads off the conversation. Its tokens are
// bytes.
class Seeker final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    ++calls;
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens = request.prompt_tokens;
      for (const char c : request.prompt)
        group.prompt_tokens.push_back(static_cast<unsigned char>(c));
      for (const RandomAddress& address : request.addresses) {
        EXPECT_TRUE(asked.insert({address.purpose, address.index, address.salt}).second)
            << "an address is used twice";
        group.completions.push_back(answer(text_of(group.prompt_tokens)));
      }
    }
    return groups;
  }
  Expected<ChatLayout> chat_layout(std::span<const ToolSpec> tools, bool) const override {
    return ChatLayout::make(*chat_, tools);
  }
  std::string_view name() const override { return "seeker"; }

  static std::string text_of(std::span<const Token> tokens) {
    return {tokens.begin(), tokens.end()};
  }

  int calls = 0;
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> asked;

 private:
  static Completion answer(const std::string& conversation) {
    std::int64_t low = 1;
    std::int64_t high = std::atoll(conversation.c_str() + conversation.find("from 1 to ") + 10);
    for (std::size_t at = conversation.find("I say "); at != std::string::npos;
         at = conversation.find("I say ", at + 1)) {
      const std::int64_t said = std::atoll(conversation.c_str() + at + 6);
      const std::size_t higher = conversation.find("higher", at);
      const std::size_t lower = conversation.find("lower", at);
      if (higher < lower) {
        low = said + 1;
      } else {
        high = said - 1;
      }
    }
    const std::int64_t guess = low + (high - low) / 2;
    Completion completion{.text = fmt::format("I say {}", guess)};
    for (const char c : completion.text) completion.tokens.push_back(c);
    completion.log_probs.assign(completion.tokens.size(), -1.0F);
    completion.tool_calls = HiddenNumber::guess(guess).tool_calls;
    return completion;
  }

  TestFolder folder_;
  Expected<ChatTemplate> chat_ = make_chat_folder(folder_ / "chat", "turns", true).chat_template();
};

struct Played {
  std::vector<ProblemPtr> problems;
  std::vector<EpisodeRequest> requests;
};

Played hidden_numbers(int count, std::size_t rollouts) {
  Played played;
  for (int i = 0; i < count; ++i) {
    played.problems.push_back(problem_of(kHiddenNumber, i % 4, static_cast<std::size_t>(i)));
    played.requests.push_back(
        {played.problems.back().get(), addresses(static_cast<std::size_t>(i), rollouts)});
  }
  return played;
}

// A problem that asks once is sampled and scored as if there were no episodes.
TEST(Episodes, OfOneTurnAreASampleAndItsVerdict) {
  const PromptFormat format = PromptFormat::parse("terse").value();
  std::vector<ProblemPtr> problems;
  std::vector<EpisodeRequest> requests;
  std::vector<SampleRequest> plain;
  for (std::size_t i = 0; i < 6; ++i) {
    problems.push_back(problem_of(kEcho, static_cast<int>(i % 3), i));
    requests.push_back({problems.back().get(), addresses(i, 3)});
    plain.push_back({format.render(problems.back()->prompt()), addresses(i, 3)});
  }
  EchoPolicy policy(2, 2);
  EchoPolicy same(2, 2);
  const auto batch = rollout_episodes(policy, requests, {.format = format});
  ASSERT_TRUE(batch) << batch.error().message;
  const auto groups = same.sample(plain, {}).value();
  EXPECT_EQ(policy.prompts, same.prompts);
  EXPECT_EQ(batch->cut, 0);
  int solved = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const EpisodeGroup& group = batch->groups[i];
    EXPECT_EQ(group.prompt, plain[i].prompt);
    EXPECT_EQ(group.prompt_tokens, groups[i].prompt_tokens);
    ASSERT_EQ(group.rollouts.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j) {
      const std::string& text = groups[i].completions[j].text;
      const Verdict verdict = score_completion(*problems[i], text, format);
      EXPECT_EQ(group.rollouts[j].completion.text, text);
      EXPECT_EQ(group.rollouts[j].reward, verdict.reward);
      EXPECT_EQ(group.rollouts[j].solved, verdict.solved);
      EXPECT_TRUE(group.rollouts[j].given.empty());
      EXPECT_TRUE(group.turns[j].is_null());
      solved += verdict.solved;
    }
  }
  EXPECT_GT(solved, 0);
  EXPECT_LT(solved, 18);
}

TEST(Episodes, OfSeveralTurnsGoOnInLockstep) {
  Seeker policy;
  const Played played = hidden_numbers(8, 2);
  int longest = 0;
  const auto batch = rollout_episodes(policy, played.requests, {});
  ASSERT_TRUE(batch) << batch.error().message;
  for (std::size_t i = 0; i < played.problems.size(); ++i) {
    const EpisodeGroup& group = batch->groups[i];
    for (std::size_t j = 0; j < group.rollouts.size(); ++j) {
      const ScoredRollout& rollout = group.rollouts[j];
      EXPECT_TRUE(rollout.solved) << rollout.completion.text;
      EXPECT_EQ(rollout.reward, 1.0);
      ASSERT_TRUE(check_given(rollout.given, rollout.completion.tokens.size()));
      // What was drawn is what the policy said, turn by turn; the rest was given.
      std::vector<std::string> said;
      for (const Json& turn : group.turns[j]) {
        if (turn["role"] == "assistant") said.push_back(turn["text"]);
      }
      const auto runs = drawn_runs(rollout);
      ASSERT_EQ(runs.size(), said.size());
      const std::span<const Token> tokens(rollout.completion.tokens);
      for (std::size_t k = 0; k < runs.size(); ++k) {
        EXPECT_EQ(Seeker::text_of(tokens.subspan(runs[k].begin, runs[k].end - runs[k].begin)),
                  said[k]);
        for (std::size_t t = runs[k].begin; t < runs[k].end; ++t)
          EXPECT_EQ(rollout.completion.log_probs[t], -1.0F);
      }
      for (const TokenRun& run : rollout.given) {
        const std::string given = Seeker::text_of(tokens.subspan(run.begin, run.end - run.begin));
        EXPECT_THAT(given, testing::AnyOf(HasSubstr("higher"), HasSubstr("lower")));
        EXPECT_EQ(rollout.completion.log_probs[run.begin], 0.0F);
      }
      EXPECT_EQ(Seeker::text_of(tokens), rollout.completion.text);
      longest = std::max(longest, static_cast<int>(said.size()));
    }
  }
  EXPECT_EQ(batch->cut, 0);
  EXPECT_GT(longest, 2) << "the test needs conversations";
  EXPECT_EQ(policy.calls, longest) << "one call a turn for all episodes";
}

TEST(Episodes, AreJudgedByWhatTheyDidWhenALimitEndsThem) {
  Seeker policy;
  const Played played = hidden_numbers(8, 1);
  const auto batch = rollout_episodes(policy, played.requests, {.max_turns = 1});
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(policy.calls, 1);
  int cut = 0;
  for (const EpisodeGroup& group : batch->groups) {
    const ScoredRollout& rollout = group.rollouts[0];
    EXPECT_EQ(rollout.reward, rollout.solved ? 1.0 : 0.0);
    EXPECT_TRUE(rollout.well_formed);
    EXPECT_EQ(rollout.completion.finish == FinishReason::kLength, !rollout.solved);
    cut += !rollout.solved;
  }
  EXPECT_GT(cut, 0);
  EXPECT_EQ(batch->cut, cut);
}

TEST(Episodes, NeedATemplateOnlyForSeveralTurns) {
  EchoPolicy policy(9);
  const auto problem = problem_of(kEcho, 0, 1);
  EXPECT_TRUE(rollout_episodes(policy,
                               std::vector<EpisodeRequest>{{problem.get(), addresses(0, 1)}},
                               {.format = PromptFormat::parse("terse").value()}));
  const Played played = hidden_numbers(1, 1);
  EXPECT_FALSE(rollout_episodes(policy, played.requests, {}));
}

}  // namespace
}  // namespace redqueen
