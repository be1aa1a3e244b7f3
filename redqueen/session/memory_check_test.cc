#include "redqueen/session/memory_check.h"

#include <gtest/gtest.h>

#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/core/testing/repeat_number.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/recipes/rlve/rlve_settings.h"

namespace redqueen {
namespace {

REDQUEEN_ENVIRONMENT(HiddenNumber);  // takes turns

// Asks once, in a hundred bytes more for every digit.
struct LongQuestion : RepeatNumber {
  static constexpr Card card{.name = "LongQuestion",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "-1 malformed, 0 wrong, 1 right.",
                             .max_level = 17};
  static std::string prompt(const Problem& problem) {
    const std::string number = fmt::format("{}", problem.x);
    return "Repeat " + number + std::string(100 * number.size(), '.');
  }
};
REDQUEEN_ENVIRONMENT(LongQuestion);

TEST(MemoryCheck, KnowsWhichRunsTakeTurns) {
  const auto takes = [](const std::string& trained, const std::string& evaluated) {
    TrainSettings settings;
    settings.suite = trained;
    settings.evaluation.suite = evaluated;
    return takes_turns(shared_engine(), settings);
  };
  EXPECT_FALSE(takes("azr/deduction", ""));
  EXPECT_TRUE(takes("azr/deduction,HiddenNumber", ""));
  EXPECT_TRUE(takes("azr/deduction", "HiddenNumber"));
  EXPECT_FALSE(takes("there is none", ""));
}

TEST(MemoryCheck, CountsWhatConversationsMayKeep) {
  const ModelConfig config{.vocab_size = 1000,
                           .hidden_size = 64,
                           .intermediate_size = 128,
                           .num_hidden_layers = 3,
                           .num_attention_heads = 4,
                           .num_key_value_heads = 2,
                           .head_dim = 16,
                           .max_position_embeddings = 500};
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.policy.kept_mb = 64;
  const auto kept = [&](int processes, bool conversations) {
    return train_memory_demand(settings, config, processes, {.conversations = conversations})
        .kept_bytes;
  };
  EXPECT_EQ(kept(1, false), 0);
  EXPECT_EQ(kept(1, true), std::int64_t{64} << 20) << "no more than that";
  settings.batch.sampled_prompts = 3;
  settings.batch.rollouts = 3;
  // In keys and values, each of 2 heads of 16 numbers in float32; of two turns.
  const std::int64_t conversation = 2 * std::int64_t{500} * 3 * 2 * 2 * 16 * 4;
  EXPECT_EQ(kept(1, true), 9 * conversation) << "no more than conversations can become";
  EXPECT_EQ(kept(2, true), 5 * conversation) << "of its part of them";
  settings.policy.kept_mb = 0;
  EXPECT_EQ(kept(1, true), 0);
}

ModelConfig checked_config(int context) {
  return {.vocab_size = 1000,
          .hidden_size = 64,
          .intermediate_size = 128,
          .num_hidden_layers = 3,
          .num_attention_heads = 4,
          .num_key_value_heads = 2,
          .head_dim = 16,
          .max_position_embeddings = context};
}

// A conversation is trained on as one sequence, however short its turns are.
TEST(MemoryCheck, ConversationsFillTheContext) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.sampling.max_new_tokens = 300;
  settings.trainer.micro_batch_tokens = 1000;
  const ModelConfig config = checked_config(24000);
  const MemoryDemand single = train_memory_demand(settings, config, 1);
  EXPECT_EQ(single.micro_batch_tokens, 1000);
  EXPECT_EQ(single.calls.at(0).prompt_tokens, 512);
  const MemoryDemand turns = train_memory_demand(settings, config, 1, {.conversations = true});
  EXPECT_EQ(turns.micro_batch_tokens, 24000) << "one sequence passes the network as a whole";
  EXPECT_EQ(turns.calls.at(0).whole_tokens(), 24000);
  EXPECT_EQ(turns.calls.at(0).prompts, turns.calls.at(0).responses)
      << "no two conversations share their turns";
  const auto activations = [&](const MemoryDemand& demand) {
    return plan_memory(config, demand).training.at(1).device;
  };
  EXPECT_GT(activations(turns), 20 * activations(single));
}

TEST(MemoryCheck, CountsTheResponsesOfEvaluations) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.suite = "LongQuestion";
  settings.policy.prompt_format = "chat";  // which only the policy can lay out
  settings.sampling.max_new_tokens = 300;
  const ModelConfig config = checked_config(4000);
  const auto demand = [&] {
    return train_memory_demand(settings, config, 1, planned_work(shared_engine(), settings));
  };
  const MemoryDemand before = demand();
  ASSERT_EQ(before.calls.size(), 2U);
  EXPECT_EQ(before.calls[0].responses / before.calls[0].prompts, 16);
  EXPECT_EQ(before.calls[1].response_tokens, 300);
  EXPECT_EQ(before.calls[1].prompts, 250) << "fifty of each of five levels";
  EXPECT_EQ(before.calls[1].responses, 250) << "which share no prompt";
  EXPECT_TRUE(before.calls[1].greedy);
  settings.evaluation.max_new_tokens = 3000;
  const MemoryDemand after = demand();
  EXPECT_EQ(after.calls[1].response_tokens, 3000);
  EXPECT_EQ(after.micro_batch_tokens, before.micro_batch_tokens) << "nobody trains on them";
  EXPECT_GT(plan_memory(config, after).sampling.at(0).device,
            2 * plan_memory(config, before).sampling.at(0).device);
  settings.evaluation.max_new_tokens = 9000;
  EXPECT_LE(demand().calls[1].response_tokens, 4000);
  settings.evaluation.problems = 1000;
  settings.evaluation.samples = 4;
  EXPECT_EQ(demand().calls[1].responses, 20'000) << "in one queue";
  EXPECT_EQ(demand().calls[1].prompts, 5000);
  settings.evaluation.before = settings.evaluation.after = false;
  EXPECT_EQ(demand().calls.size(), 1U);
}

// Without a limit the problems themselves are looked at, the longer the higher the level.
TEST(MemoryCheck, KnowsHowLongPromptsAre) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.suite = "LongQuestion";
  settings.curriculum.difficulty = Difficulty::kStatic;
  const auto tokens = [&] { return planned_work(shared_engine(), settings).problem_tokens; };
  settings.curriculum.high = 0;
  EXPECT_EQ(tokens(), 512);
  settings.curriculum.high = 14;
  EXPECT_GT(tokens(), 1500 / 2) << "two bytes a token, without a tokenizer";
  settings.curriculum.high = 1000;
  const std::int64_t highest = tokens();
  EXPECT_GT(highest, 1800 / 2) << "of the environment's highest level";
  settings.curriculum.difficulty = Difficulty::kAdaptive;
  EXPECT_EQ(tokens(), 512) << "where it begins";
  const auto asked = [&] {
    return planned_work(shared_engine(), settings).evaluation.at(0).prompt_tokens;
  };
  EXPECT_EQ(asked(), 512);
  settings.evaluation.levels = {3, 1000};
  EXPECT_EQ(asked(), highest);
  settings.sampling.max_prompt_tokens = 200;
  EXPECT_EQ(tokens(), 200);
  const MemoryDemand demand = train_memory_demand(settings, checked_config(4000), 1,
                                                  planned_work(shared_engine(), settings));
  for (const SamplingDemand& call : demand.calls) EXPECT_EQ(call.prompt_tokens, 200);
}

// What each recipe samples is its own to say.
TEST(MemoryCheck, CountsTheCallsOfRecipes) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.sampling.max_new_tokens = 1000;
  const auto calls = [&](const char* recipe, std::size_t learner = 0) {
    const auto learners = learners_of(*find_recipe(recipe).value(), settings).value();
    return train_memory_demand(settings, checked_config(40000), 1, {}, learners.at(learner).calls)
        .calls;
  };
  const auto rlve = calls("rlve");
  EXPECT_EQ(rlve.at(0).prompts, 384);
  EXPECT_EQ(rlve.at(0).responses, 384 * 16);
  settings.table<rlve::RlveSettings>().tokens_per_round = 250;
  const auto parts = calls("rlve");
  EXPECT_EQ(parts.at(0).begun_tokens, 750) << "of a response in its last part";
  EXPECT_EQ(parts.at(0).response_tokens, 250);
  EXPECT_EQ(parts.at(0).prompts, 512) << "each its own, as many as there are rows";

  const auto azr = calls("azr");
  EXPECT_EQ(azr.at(0).prompts, 64);
  EXPECT_EQ(azr.at(0).responses, 64 * 8) << "the answers of an estimate";
  EXPECT_EQ(azr.at(0).prompt_tokens, 6144);

  const auto evoenv = calls("evoenv");
  ASSERT_EQ(evoenv.size(), 3U);
  EXPECT_EQ(evoenv[1].response_tokens, 8192);
  EXPECT_EQ(evoenv[1].responses, 16 * 8);
  EXPECT_GT(evoenv[1].prompt_tokens, 2 * 8192) << "two environments are shown";
  EXPECT_EQ(evoenv[2].responses, 16 * 8 * 3);

  const auto agent = calls("genenv", 0), writer = calls("genenv", 1);
  EXPECT_EQ(agent.at(0).responses, 96 * 8) << "64 fresh tasks, 16 old ones and 16 of the base data";
  EXPECT_EQ(writer.at(0).responses, 64);
  EXPECT_EQ(writer.at(0).response_tokens, 512);
}

TEST(MemoryCheck, CountsEntropy) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  EXPECT_FALSE(train_memory_demand(settings, checked_config(4000), 1).entropy);
  settings.trainer.objective.entropy_coefficient = 0.001;
  EXPECT_TRUE(train_memory_demand(settings, checked_config(4000), 1).entropy);
}

}  // namespace
}  // namespace redqueen
