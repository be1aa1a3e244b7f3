#include "redqueen/recipes/rlve/partial_rollouts.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <set>

#include "redqueen/policy/stop_strings.h"
#include "redqueen/recipes/rlve/rlve.h"
#include "redqueen/recipes/rlve/rlve_settings.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen::rlve {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Repeats numbers, a letter a token. How many spaces come first depends on the address, and so does
// whether the number is right. It talks on until a stop string, of which it only sees what is in
// this call, or the limit ends it.
class SlowPolicy final : public Policy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    if (fails) return failure("the engine is gone");
    ++calls;
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      std::string prompt = request.prompt;
      if (prompt.empty()) {
        const std::string all(request.prompt_tokens.begin(), request.prompt_tokens.end());
        for (const std::string& known : prompts) {
          if (all.starts_with(known)) prompt = known;
        }
      } else {
        prompts.insert(prompt);
      }
      const std::size_t done =
          request.prompt_tokens.empty() ? 0 : request.prompt_tokens.size() - prompt.size();
      CompletionGroup group{.prompt_tokens = {prompt.begin(), prompt.end()}};
      for (const RandomAddress& address : request.addresses) {
        EXPECT_TRUE(
            asked.insert({address.purpose, address.step, address.index, address.salt}).second)
            << "two parts with the same randomness";
        group.completions.push_back(part_of(prompt, address.salt, done, parameters));
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "slow"; }

  // What a response is if nothing cuts it.
  static std::string whole(const std::string& prompt, std::uint64_t salt) {
    const std::string number = prompt.substr(7, prompt.find('\n') - 7);
    return std::string(3 * salt, ' ') + (salt % 2 == 1 ? number : "0") + "</answer>";
  }

  std::set<std::string> prompts;
  std::set<std::array<std::uint64_t, 4>> asked;
  int calls = 0;
  bool fails = false;

 private:
  Completion part_of(const std::string& prompt, std::uint64_t salt, std::size_t done,
                     const SampleParameters& parameters) const {
    const std::string all = whole(prompt, salt) + std::string(100, '!');
    Completion part{.text = all.substr(done, static_cast<std::size_t>(parameters.max_new_tokens)),
                    .finish = FinishReason::kLength};
    if (const std::size_t end = find_stop(part.text, 0, parameters.stop);
        end != std::string::npos) {
      part.text.resize(end);
      part.finish = FinishReason::kStop;
    }
    part.tokens.assign(part.text.begin(), part.text.end());
    // Its place in the response, and the call that drew it.
    for (std::size_t i = 0; i < part.tokens.size(); ++i)
      part.log_probs.push_back(-static_cast<float>(done + i) - 1000.0F * static_cast<float>(calls));
    return part;
  }
};

TrainSettings partial_settings(int tokens_per_round) {
  TrainSettings settings;
  settings.policy.prompt_format = "terse";
  settings.sampling.max_new_tokens = 24;
  settings.sampling.stop = {"</answer>"};
  settings.batch = {.prompts = 4, .sampled_prompts = 4, .rollouts = 4, .max_rounds = 3};
  settings.batch.dynamic_sampling = false;
  settings.table<RlveSettings>().tokens_per_round = tokens_per_round;
  return settings;
}

std::unique_ptr<Recipe> recipe_of(const TrainSettings& settings, Policy& policy) {
  return make_rlve(settings, echo_suite(), policy).value();
}

std::string prompt_of(const ScoredGroup& group) {
  return {group.prompt.begin(), group.prompt.end()};
}

// Every response comes, sooner or later, and is what it would have been in one piece.
TEST(PartialRollouts, JoinsWhatWasDrawnOverSeveralSteps) {
  for (const int tokens : {3, 4, 8, 12, 24, 40}) {
    SlowPolicy policy;
    const auto recipe = recipe_of(partial_settings(tokens), policy);
    std::size_t groups = 0;
    for (std::int64_t step = 1; step <= 20; ++step) {
      const auto batch = recipe->step(step);
      ASSERT_TRUE(batch.has_value()) << batch.error().message;
      EXPECT_EQ(policy.calls, step) << "one call a step, whatever waits";
      for (const ScoredGroup& group : batch->groups) {
        ASSERT_THAT(group.rollouts, SizeIs(4));
        ++groups;
        for (std::uint64_t salt = 0; salt < 4; ++salt) {
          const ScoredRollout& rollout = group.rollouts[salt];
          const Completion& response = rollout.completion;
          EXPECT_EQ(response.text, SlowPolicy::whole(prompt_of(group), salt));
          EXPECT_EQ(response.finish, FinishReason::kStop);
          EXPECT_EQ(rollout.solved, salt % 2 == 1);
          // A stop string that began in the part before may be overrun, by less than a part.
          EXPECT_GE(response.tokens.size(), response.text.size());
          EXPECT_LT(response.tokens.size(),
                    response.text.size() + static_cast<std::size_t>(tokens));
          ASSERT_THAT(response.log_probs, SizeIs(response.tokens.size()));
          std::set<int> calls;
          for (std::size_t i = 0; i < response.log_probs.size(); ++i) {
            const int told = static_cast<int>(-response.log_probs[i]);
            EXPECT_EQ(told % 1000, static_cast<int>(i)) << "of another token";
            calls.insert(told / 1000);
          }
          const std::size_t all = static_cast<std::size_t>(tokens);
          EXPECT_EQ(calls.size(), (response.tokens.size() + all - 1) / all)
              << "as drawn then, not drawn anew";
        }
      }
    }
    const std::size_t late =
        (24 + static_cast<std::size_t>(tokens) - 1) / static_cast<std::size_t>(tokens);
    EXPECT_GE(groups, 4 * (20 - late)) << "none is lost";
  }
}

TEST(PartialRollouts, AResponseEndsAtItsGreatestLength) {
  TrainSettings endless = partial_settings(8);
  endless.sampling.stop = {};
  SlowPolicy policy;
  const auto recipe = recipe_of(endless, policy);
  for (std::int64_t step = 1; step <= 3; ++step) {
    const auto batch = recipe->step(step);
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(batch->groups.size(), step == 3 ? 4U : 0U);
    for (const ScoredGroup& group : batch->groups) {
      for (const ScoredRollout& rollout : group.rollouts) {
        EXPECT_THAT(rollout.completion.tokens, SizeIs(24));
        EXPECT_EQ(rollout.completion.finish, FinishReason::kLength);
      }
    }
  }
}

// Groups that come late fill the batch: rounds end as soon as it is full.
TEST(PartialRollouts, FillsABatchFromRoundsThatGoOn) {
  TrainSettings dynamic = partial_settings(4);
  dynamic.batch.dynamic_sampling = true;
  dynamic.batch.max_rounds = 20;
  SlowPolicy policy;
  const auto recipe = recipe_of(dynamic, policy);
  const auto first = recipe->step(1);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  EXPECT_EQ(first->groups.size(), 4U);
  const int needed = policy.calls;
  EXPECT_GT(needed, 3) << "the longest of a group has more than three parts";
  ASSERT_TRUE(recipe->step(2).has_value());
  EXPECT_LE(policy.calls, needed + 2) << "what waited is there at once";
}

TEST(PartialRollouts, ACheckpointHoldsThem) {
  SlowPolicy policy, other_policy;
  const auto recipe = recipe_of(partial_settings(4), policy);
  for (std::int64_t step = 1; step <= 3; ++step) ASSERT_TRUE(recipe->step(step).has_value());
  const std::string saved = dump_json(recipe->state());

  other_policy.prompts = policy.prompts;
  other_policy.calls = policy.calls;
  const auto other = recipe_of(partial_settings(4), other_policy);
  const Status restored = other->restore(*parse_json(saved));
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(dump_json(other->state()), saved);
  std::size_t groups = 0;
  for (std::int64_t step = 4; step <= 8; ++step) {
    const auto straight = recipe->step(step), resumed = other->step(step);
    ASSERT_TRUE(straight.has_value() && resumed.has_value());
    ASSERT_EQ(straight->groups.size(), resumed->groups.size());
    for (std::size_t g = 0; g < straight->groups.size(); ++g, ++groups) {
      EXPECT_EQ(straight->groups[g].prompt, resumed->groups[g].prompt);
      for (std::size_t j = 0; j < 4; ++j) {
        const ScoredRollout &a = straight->groups[g].rollouts[j],
                            &b = resumed->groups[g].rollouts[j];
        EXPECT_EQ(a.completion.tokens, b.completion.tokens);
        EXPECT_EQ(a.completion.log_probs, b.completion.log_probs);
        EXPECT_EQ(a.reward, b.reward);
      }
    }
  }
  EXPECT_GT(groups, 8U);
}

// Every string of the state in turn cut, emptied or replaced: refused, or read as something, and
// what was there stays when it is refused.
TEST(PartialRollouts, ADamagedCheckpointIsRefused) {
  SlowPolicy policy;
  PartialRollouts partial(partial_settings(4).sampling, 4);
  std::vector<PartialGroup> fresh;
  const std::vector<const Environment*> environments = echo_suite().environments;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    PartialGroup& group = fresh.emplace_back();
    group.task = {
        {0, 1}, environments[0]->address(1, seed), environments[0]->generate(1, seed).value()};
    group.prompt = "Repeat 12\n";
    group.addresses = {{.index = seed, .salt = 1}, {.index = seed, .salt = 2}};
  }
  MissingResponses missing;
  ASSERT_TRUE(partial.draw(policy, std::move(fresh), missing).has_value());
  ASSERT_EQ(partial.waiting(), 2U);
  const Json good = partial.state();
  const std::string text = dump_json(good);
  int refused = 0;
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
    for (const char* change : {"", "\"x", "null", "7"}) {
      std::string bad = text;
      bad.replace(at, 1 + std::strlen(change), change);
      const auto json = parse_json(bad);
      if (!json) continue;
      PartialRollouts other(partial_settings(4).sampling, 4);
      if (const Status read = other.restore(*json, environments); !read) {
        ++refused;
        EXPECT_THAT(read.error().message, HasSubstr("unfinished responses"));
        EXPECT_EQ(other.waiting(), 0U);
      }
    }
  }
  Json wrong = good;
  wrong[0]["problem"] = "Unknown@1/1/0";
  EXPECT_FALSE(partial.restore(wrong, environments));
  for (const char* other_version : {"Echo@0/1/0", "Echo@2/1/0"}) {
    wrong[0]["problem"] = other_version;
    const Status read = partial.restore(wrong, environments);
    ASSERT_FALSE(read) << other_version;
    EXPECT_THAT(read.error().message, HasSubstr("Echo is version 1 by now"));
  }
  wrong = good;
  wrong[1]["open"] = Json::array();
  EXPECT_FALSE(partial.restore(wrong, environments));
  wrong = good;
  wrong[1]["responses"][0].erase("tokens");
  EXPECT_FALSE(partial.restore(wrong, environments));
  wrong[1]["responses"][0]["tokens"] = "AAA=";  // two bytes are no token
  EXPECT_FALSE(partial.restore(wrong, environments));
  EXPECT_EQ(dump_json(partial.state()), text);
  EXPECT_THAT(refused, testing::Gt(5));
}

TEST(PartialRollouts, AFailedCallLeavesWhatWaits) {
  SlowPolicy policy;
  const auto recipe = recipe_of(partial_settings(4), policy);
  ASSERT_TRUE(recipe->step(1).has_value());
  const std::string before = dump_json(recipe->state());
  policy.fails = true;
  EXPECT_FALSE(recipe->step(2).has_value());
  EXPECT_EQ(dump_json(recipe->state()), before);
}

TEST(CheckParts, WantsWholeParts) {
  EXPECT_TRUE(check_parts({.max_new_tokens = 24}, 0));
  EXPECT_TRUE(check_parts({.max_new_tokens = 24}, 8));
  EXPECT_TRUE(check_parts({.max_new_tokens = 24}, 24));
  EXPECT_TRUE(check_parts({.max_new_tokens = 24}, 40));
  const Status refused = check_parts({.max_new_tokens = 24}, 7);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("rlve.tokens_per_round is 7"));
}

}  // namespace
}  // namespace redqueen::rlve
