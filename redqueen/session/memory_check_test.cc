#include "redqueen/session/memory_check.h"

#include <gtest/gtest.h>

#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/engine/testing/engine.h"

namespace redqueen {
namespace {

REDQUEEN_ENVIRONMENT(HiddenNumber);  // takes turns

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
    return train_memory_demand(settings, config, processes, conversations).kept_bytes;
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
  const MemoryDemand single = train_memory_demand(settings, config, 1, false);
  EXPECT_EQ(single.micro_batch_tokens, 1000);
  EXPECT_EQ(single.prompt_tokens, 512);
  const MemoryDemand turns = train_memory_demand(settings, config, 1, true);
  EXPECT_EQ(turns.micro_batch_tokens, 24000) << "one sequence passes the network as a whole";
  EXPECT_EQ(turns.prompt_tokens + turns.response_tokens, 24000);
  EXPECT_EQ(turns.rollouts, 1) << "no two conversations share their turns";
  const auto activations = [&](const MemoryDemand& demand) {
    return plan_memory(config, demand).training.at(1).device;
  };
  EXPECT_GT(activations(turns), 20 * activations(single));
}

TEST(MemoryCheck, CountsTheResponsesOfEvaluations) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  settings.sampling.max_new_tokens = 300;
  const ModelConfig config = checked_config(4000);
  const MemoryDemand before = train_memory_demand(settings, config, 1, false);
  EXPECT_EQ(before.response_tokens, 300);
  settings.evaluation.max_new_tokens = 3000;
  const MemoryDemand after = train_memory_demand(settings, config, 1, false);
  EXPECT_EQ(after.response_tokens, 3000);
  EXPECT_EQ(after.micro_batch_tokens, before.micro_batch_tokens) << "nobody trains on them";
  EXPECT_GT(plan_memory(config, after).sampling.at(0).device,
            3 * plan_memory(config, before).sampling.at(0).device);
  settings.evaluation.max_new_tokens = 9000;
  EXPECT_LE(train_memory_demand(settings, config, 1, false).response_tokens, 4000);
}

TEST(MemoryCheck, CountsEntropy) {
  TrainSettings settings;
  settings.policy.path = "nowhere";
  EXPECT_FALSE(train_memory_demand(settings, checked_config(4000), 1, false).entropy);
  settings.trainer.objective.entropy_coefficient = 0.001;
  EXPECT_TRUE(train_memory_demand(settings, checked_config(4000), 1, false).entropy);
}

}  // namespace
}  // namespace redqueen
