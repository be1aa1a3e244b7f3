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

}  // namespace
}  // namespace redqueen
