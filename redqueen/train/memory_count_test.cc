// Compares the plan of memory, part by part, with the bytes of tensors that a run allocates.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "redqueen/core/rng.h"
#include "redqueen/decode/device_memory.h"
#include "redqueen/decode/generation.h"
#include "redqueen/model/testing/counting_allocator.h"
#include "redqueen/model/token_log_probs.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/memory_plan.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr int kCountedVocabulary = 6000;

ModelConfig counted_config() {
  ModelConfig config = tiny_config(kCountedVocabulary);
  config.hidden_size = 192;
  config.intermediate_size = 512;
  config.num_hidden_layers = 5;
  config.num_attention_heads = 6;
  config.num_key_value_heads = 2;
  config.head_dim = 32;
  config.max_position_embeddings = 1024;
  return config;
}

Transformer counted_model(const MemoryDemand& demand) {
  return Transformer::initialise(counted_config(), 3,
                                 {.dtype = demand.weight_bytes == 2 ? at::kBFloat16 : at::kFloat});
}

// Ten groups of 40 + 8 × 35 tokens: two micro-batches of 1600.
std::vector<ScoredGroup> counted_groups() {
  Rng rng({.seed = 8, .purpose = hash_name("memory_count_test")});
  std::vector<ScoredGroup> groups(10);
  for (ScoredGroup& group : groups) {
    group.role = "solver";
    group.prompt.assign(40, 1);
    for (int k = 0; k < 8; ++k) {
      Completion completion{.tokens = std::vector<Token>(35)};
      for (Token& token : completion.tokens)
        token = static_cast<Token>(rng.integer(0, kCountedVocabulary - 1));
      completion.log_probs.assign(35, -8.7F);
      group.rollouts.push_back({std::move(completion), static_cast<double>(k)});
    }
  }
  return groups;
}

// Float32; with checkpointing; bfloat16; float32 with the entropy in the loss.
MemoryDemand counted_demand(int number) {
  MemoryDemand demand{.micro_batch_tokens = 1600};
  demand.activation_checkpointing = number == 1;
  demand.weight_bytes = number == 2 ? 2 : 4;
  demand.entropy = number == 3;
  return demand;
}

TrainerOptions counted_options(const MemoryDemand& demand) {
  TrainerOptions options;
  options.micro_batch_tokens = static_cast<std::size_t>(demand.micro_batch_tokens);
  options.activation_checkpointing = demand.activation_checkpointing;
  options.objective.entropy_coefficient = demand.entropy ? 0.001 : 0;
  options.optimizer.offload = demand.offload_optimizer;
  return options;
}

double bytes_of(const std::vector<MemoryPart>& parts) {
  double sum = 0;
  for (const MemoryPart& part : parts) sum += static_cast<double>(part.device + part.host);
  return sum;
}

TEST(MemoryCount, TrainingTakesWhatIsPlanned) {
  const CountingAllocator& counted = counting_allocator();
  for (int number = 0; number < 4; ++number) {
    const MemoryDemand demand = counted_demand(number);
    const MemoryPlan plan = plan_memory(counted_config(), demand);
    const std::int64_t zero = counted.live();
    const Transformer model = counted_model(demand);
    EXPECT_EQ(counted.live() - zero, plan.lasting.at(0).device) << "weights, case " << number;
    const auto trainer = EmbeddedTrainer::create(model, counted_options(demand)).value();
    const std::int64_t lasting = counted.live();
    EXPECT_EQ(static_cast<double>(lasting - zero), bytes_of(plan.lasting))
        << "masters and moments, case " << number;
    counting_allocator().watch();
    const auto report = trainer->step(counted_groups());
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_EQ(counted.live(), lasting) << "an update leaves nothing, case " << number;
    const double share = static_cast<double>(counted.peak() - lasting) / bytes_of(plan.training);
    RecordProperty("training_" + std::to_string(number), std::to_string(share));
    std::cout << "case " << number << ": an update takes " << share << " of its plan ("
              << memory_text(plan) << ")\n";
    EXPECT_LE(share, 1) << "case " << number;
    EXPECT_GE(share, 0.85) << "case " << number;
  }
}

// Norms behind the blocks, and windows that cut prompts off.
TEST(MemoryCount, TrainingAGemmaTakesWhatIsPlanned) {
  ModelConfig config = counted_config();
  config.family = ModelFamily::kGemma3;
  config.window = {30, {true, true, false, true, true}};
  config.rope_local_theta = 1e3;
  const MemoryDemand demand = counted_demand(0);
  const MemoryPlan plan = plan_memory(config, demand);
  const Transformer model = Transformer::initialise(config, 3);
  const auto trainer = EmbeddedTrainer::create(model, counted_options(demand)).value();
  const std::int64_t lasting = counting_allocator().live();
  counting_allocator().watch();
  ASSERT_TRUE(trainer->step(counted_groups()));
  const auto taken = static_cast<double>(counting_allocator().peak() - lasting);
  const double share = taken / bytes_of(plan.training);
  RecordProperty("gemma", std::to_string(share));
  EXPECT_LE(share, 1);
  EXPECT_GE(share, 0.85);
}

TEST(MemoryCount, OffloadedMastersAndMomentsAreThoseOfThePlan) {
  MemoryDemand demand = counted_demand(0);
  demand.offload_optimizer = true;
  const MemoryPlan plan = plan_memory(counted_config(), demand);
  const std::int64_t zero = counting_allocator().live();
  const Transformer model = counted_model(demand);
  const auto trainer = EmbeddedTrainer::create(model, counted_options(demand)).value();
  EXPECT_EQ(static_cast<double>(counting_allocator().live() - zero), bytes_of(plan.lasting));
}

// A device that ends where the plan does, and one that ends a fifth before.
TEST(MemoryCount, AnUpdateFitsIntoADeviceOfThePlansSize) {
  CountingAllocator& counted = counting_allocator();
  const MemoryDemand demand = counted_demand(0);
  const MemoryPlan plan = plan_memory(counted_config(), demand);
  const std::vector<ScoredGroup> groups = counted_groups();
  for (const bool enough : {true, false}) {
    const std::int64_t size = plan.device_peak() * (enough ? 100 : 80) / 100;
    counted.limit(counted.live() + size);
    const auto run = [&] {
      const Transformer model = counted_model(demand);
      const auto trainer = EmbeddedTrainer::create(model, counted_options(demand)).value();
      EXPECT_TRUE(trainer->step(groups).has_value());
    };
    if (enough) {
      EXPECT_NO_THROW(run());
    } else {
      EXPECT_THROW(run(), c10::OutOfMemoryError);
    }
    counted.lift_limit();
    const ModelMemory planned{"my/policy", counted_config(), demand};
    EXPECT_EQ(check_memory({&planned, 1}, {.host = size}).has_value(), enough);
  }
}

// The tiles that a GPU makes, of more logits than one of them holds.
TEST(MemoryCount, LogitsOfAGpuTakeWhatIsPlanned) {
  ModelConfig config = tiny_config(20000);
  config.hidden_size = 8;
  const std::int64_t tokens = 5000;
  for (const bool entropy : {false, true}) {
    const MemoryPlan plan =
        plan_memory(config, {.on_device = true, .entropy = entropy, .micro_batch_tokens = tokens});
    const at::Tensor hidden = at::randn({tokens, 8}).set_requires_grad(true);
    const at::Tensor output = at::randn({config.vocab_size, 8}).set_requires_grad(true);
    const at::Tensor targets = at::zeros({tokens}, at::kLong);
    const std::int64_t before = counting_allocator().watch();
    const TokenScores scores =
        token_log_probs(hidden, output, targets, 1.0, entropy, logit_memory(/*on_gpu=*/true));
    at::Tensor loss = scores.log_probs.sum();
    if (entropy) loss = loss + scores.entropy.sum();
    loss.backward();
    const double share = static_cast<double>(counting_allocator().peak() - before) /
                         static_cast<double>(plan.training.at(2).device);
    EXPECT_LE(share, 1.05) << "besides, rows of " << tokens << " numbers";
    EXPECT_GE(share, 0.85);
  }
}

std::vector<TokenPrompt> counted_prompts(const MemoryDemand& demand, std::int64_t count) {
  std::vector<TokenPrompt> prompts(static_cast<std::size_t>(count));
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    prompts[p].tokens.assign(static_cast<std::size_t>(demand.prompt_tokens),
                             static_cast<Token>(p + 1));
    for (std::int64_t k = 0; k < demand.rollouts; ++k) {
      prompts[p].addresses.push_back(
          {.seed = 1, .step = p, .index = static_cast<std::uint64_t>(k)});
    }
  }
  return prompts;
}

// The plan adds up what prompts, the cache and probabilities take at most, which is never quite at
// once. Prompts beyond max_rows take the places of the first.
TEST(MemoryCount, SamplingTakesNoMoreThanIsPlanned) {
  const Tokenizer tokenizer = end_and_bytes();
  for (const int number : {0, 2}) {
    MemoryDemand demand = counted_demand(number);
    demand.max_rows = 24;
    demand.rollouts = 8;
    demand.prompt_tokens = 150;
    demand.response_tokens = 64;
    const MemoryPlan plan = plan_memory(counted_config(), demand);
    const Transformer model = counted_model(demand);
    const std::int64_t before = counting_allocator().watch();
    const auto drawn = generate(model, tokenizer, counted_prompts(demand, 5),
                                {.max_new_tokens = 64}, {.max_rows = 24});
    EXPECT_EQ(drawn.size(), 5U);
    const double share =
        static_cast<double>(counting_allocator().peak() - before) / bytes_of(plan.sampling);
    std::cout << "case " << number << ": sampling takes " << share << " of its plan\n";
    EXPECT_LE(share, 1) << "case " << number;
    EXPECT_GE(share, 0.4) << "case " << number;
  }
}

// The CPU stands for a GPU with little left: the cache takes its share of that, rows are put back,
// and the responses are those of a GPU with room.
TEST(MemoryCount, TheCacheTakesItsShareOfWhatADeviceHasLeft) {
  ModelConfig config = tiny_config(300);
  config.max_position_embeddings = 256;
  const Transformer model = Transformer::initialise(config, 4);
  const Tokenizer tokenizer = end_and_bytes();
  MemoryDemand demand;
  demand.rollouts = 3;
  demand.prompt_tokens = 70;
  const auto prompts = counted_prompts(demand, 4);
  const std::int64_t page = kPageTokens * cached_token_bytes(config, 4);
  const auto sample = [&](std::int64_t pages, SamplingCounts& counts) {
    free_memory_of_tests() = [=] { return page * pages * 8 / 7 + page; };
    auto drawn = generate(model, tokenizer, prompts, {.max_new_tokens = 180},
                          {.multi_step = MultiStep::kAlways, .counts = &counts});
    free_memory_of_tests() = nullptr;
    return drawn;
  };
  SamplingCounts roomy_counts, tight_counts;
  const auto roomy = sample(1000, roomy_counts);
  const auto tight = sample(16, tight_counts);
  EXPECT_EQ(roomy_counts.put_back, 0);
  EXPECT_GT(roomy_counts.most_pages, 20);
  EXPECT_GT(tight_counts.put_back, 0);
  EXPECT_LE(tight_counts.most_pages, 16);
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(tight[p][k].tokens, roomy[p][k].tokens);
  }
}

}  // namespace
}  // namespace redqueen
