#include "redqueen/train/update_memory.h"

#include <gtest/gtest.h>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/train/memory_plan.h"

namespace redqueen {
namespace {

constexpr double kGpu = 80e9;  // bytes

ModelConfig seven_billion() {
  ModelConfig config;
  config.family = ModelFamily::kQwen2;
  config.vocab_size = 152064;
  config.hidden_size = 3584;
  config.intermediate_size = 18944;
  config.num_hidden_layers = 28;
  config.num_attention_heads = 28;
  config.num_key_value_heads = 4;
  config.head_dim = 128;
  config.max_position_embeddings = 32768;
  return config;
}

MemoryDemand training() {
  return {.weight_bytes = 2,
          .on_device = true,
          .activation_checkpointing = true,
          .micro_batch_tokens = 16384};
}

UpdateBytes update(const MemoryDemand& demand) {
  const ModelConfig config = seven_billion();
  return update_bytes({.parameters = config.parameter_count(),
                       .largest = std::int64_t{config.vocab_size} * config.hidden_size,
                       .weight_bytes = demand.weight_bytes,
                       .adapters = demand.adapters,
                       .sharding = demand.sharding,
                       .processes = demand.processes});
}

double gigabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; }

// On the device, while it trains.
double training_bytes(const MemoryDemand& demand) {
  const MemoryPlan plan = plan_memory(seven_billion(), demand);
  double bytes = 0;
  for (const auto& parts : {plan.lasting, plan.training}) {
    for (const MemoryPart& part : parts) bytes += static_cast<double>(part.device);
  }
  return bytes;
}

// The figures of docs/training.md.
TEST(UpdateMemory, SevenBillionOnEightGpus) {
  MemoryDemand demand = training();
  const UpdateBytes alone = update(demand);
  EXPECT_NEAR(gigabytes(alone.masters + alone.moments), 91.4, 0.1);
  EXPECT_NEAR(gigabytes(alone.gradients), 34.8, 0.1);
  EXPECT_GT(training_bytes(demand), kGpu);
  demand.processes = 8;
  EXPECT_GT(training_bytes(demand), kGpu) << "each would have everything";
  demand.sharding = Sharding::kGradients;
  const UpdateBytes shared = update(demand);
  EXPECT_NEAR(gigabytes(shared.masters + shared.moments), 11.4, 0.1);
  EXPECT_NEAR(gigabytes(shared.gradients), 23.5, 0.1);
  EXPECT_LT(training_bytes(demand), 0.9 * kGpu);
  demand.sharding = Sharding::kOptimizer;
  EXPECT_GT(update(demand).gradients, shared.gradients);
}

TEST(UpdateMemory, AdaptersOfSevenBillionOnOneGpu) {
  MemoryDemand demand = training();
  LoraConfig lora;
  lora.rank = 16;
  demand.adapters = lora.parameter_count(seven_billion());
  const UpdateBytes bytes = update(demand);
  EXPECT_NEAR(gigabytes(bytes.adapters + bytes.moments + bytes.gradients), 0.6, 0.05);
  EXPECT_EQ(bytes.masters, 0);
  EXPECT_LT(training_bytes(demand), 0.5 * kGpu);
}

TEST(UpdateMemory, WhatIsSharedIsSharedByAll) {
  UpdateDemand demand{.parameters = 1000, .largest = 10};
  const std::int64_t alone = update_bytes(demand).moments;
  EXPECT_EQ(alone, 8000);
  demand.processes = 3;
  EXPECT_EQ(update_bytes(demand).moments, alone) << "nothing is shared unless asked for";
  demand.sharding = Sharding::kOptimizer;
  EXPECT_EQ(update_bytes(demand).moments, 8 * 334);
  demand.offload = true;
  EXPECT_EQ(update_bytes(demand).masters, 4 * 334);
  EXPECT_EQ(update_bytes(demand).host_gradients, 4 * 334);
}

}  // namespace
}  // namespace redqueen
