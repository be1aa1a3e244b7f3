// Compares the plan of memory, part by part, with the bytes of tensors that a run allocates.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/decode/device_draw.h"
#include "redqueen/decode/device_memory.h"
#include "redqueen/decode/generation.h"
#include "redqueen/embedded/embedded_policy.h"
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

// The peak since watch() returned `before`, as a share of what was planned.
double counter_share(std::int64_t before, std::int64_t planned) {
  return static_cast<double>(counting_allocator().peak() - before) / static_cast<double>(planned);
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

std::vector<TokenPrompt> counted_prompts(const SamplingDemand& call) {
  std::vector<TokenPrompt> prompts(static_cast<std::size_t>(call.prompts));
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    prompts[p].tokens.assign(static_cast<std::size_t>(call.prompt_tokens),
                             static_cast<Token>(p % 200 + 1));
    for (std::int64_t k = 0; k < call.responses / call.prompts; ++k) {
      prompts[p].addresses.push_back(
          {.seed = 1, .step = p, .index = static_cast<std::uint64_t>(k)});
    }
  }
  return prompts;
}

// Responses of full length: nothing ends one before.
ModelConfig endless_config(int vocabulary, int layers) {
  ModelConfig config = counted_config();
  config.vocab_size = vocabulary;
  config.num_hidden_layers = layers;
  config.eos_token_ids.clear();
  return config;
}

// A call of which one part of the plan makes up nearly all.
struct SampledCase {
  const char* name;
  std::size_t part;  // of the plan: cache, prompts, probabilities
  int vocabulary;
  int layers;
  std::int64_t max_rows;
  SamplingDemand call;
};

const SampledCase kSampledCases[] = {
    {"pages of their own", 0, 300, 5, 24, {3, 24, 10, 66}},
    {"one rollout a prompt", 0, 300, 5, 24, {24, 24, 10, 130}},
    {"more prompts than rows", 0, 300, 5, 16, {60, 60, 10, 130}},
    {"prompts together", 1, 300, 2, 40, {40, 40, 200, 2}},
    {"a prompt in parts", 1, 300, 1, 2, {1, 2, 12000, 2}},
    {"probabilities", 2, 40000, 2, 24, {3, 24, 4, 3}},
};

TEST(MemoryCount, EachPartOfSamplingTakesWhatIsPlanned) {
  const Tokenizer tokenizer = end_and_bytes();
  for (const SampledCase& sampled : kSampledCases) {
    for (const int width : {4, 2}) {
      const MemoryDemand demand{
          .weight_bytes = width, .max_rows = sampled.max_rows, .calls = {sampled.call}};
      ModelConfig config = endless_config(sampled.vocabulary, sampled.layers);
      config.max_position_embeddings = std::max<int>(config.max_position_embeddings,
                                                     static_cast<int>(sampled.call.whole_tokens()));
      const MemoryPlan plan = plan_memory(config, demand);
      const auto planned = bytes_of(plan.sampling);
      EXPECT_GT(static_cast<double>(plan.sampling.at(sampled.part).device), 0.7 * planned)
          << sampled.name << ": " << memory_text(plan);
      const Transformer model =
          Transformer::initialise(config, 3, {.dtype = width == 2 ? at::kBFloat16 : at::kFloat});
      const std::int64_t before = counting_allocator().watch();
      const auto drawn = generate(
          model, tokenizer, counted_prompts(sampled.call),
          {.max_new_tokens = static_cast<int>(sampled.call.response_tokens), .temperature = 0.9},
          {.max_rows = static_cast<int>(sampled.max_rows)});
      EXPECT_EQ(std::ssize(drawn), sampled.call.prompts);
      const double share = static_cast<double>(counting_allocator().peak() - before) / planned;
      std::cout << sampled.name << ", " << width << " bytes: sampling takes " << share
                << " of its plan (" << memory_text(plan) << ")\n";
      EXPECT_LE(share, 1) << sampled.name << ", " << width << " bytes";
      EXPECT_GE(share, 0.7) << sampled.name << ", " << width << " bytes";
    }
  }
}

// As a GPU does it, with a cache so small that rows are put back: beside the cache there is room
// for their passes and for the probabilities.
TEST(MemoryCount, RowsThatWerePutBackHaveRoom) {
  const SamplingDemand call{
      .prompts = 4, .responses = 12, .prompt_tokens = 70, .response_tokens = 180};
  const MemoryDemand demand{.on_device = true, .max_rows = 12, .calls = {call}};
  const ModelConfig config = endless_config(3000, 5);
  const MemoryPlan plan = plan_memory(config, demand);
  const Transformer model = Transformer::initialise(config, 3);
  constexpr std::int64_t kPages = 16;
  SamplingCounts counts;
  const std::int64_t before = counting_allocator().watch();
  const auto drawn = generate(
      model, end_and_bytes(), counted_prompts(call), {.max_new_tokens = 180, .top_k = 40},
      {.max_rows = 12, .max_pages = kPages, .multi_step = MultiStep::kAlways, .counts = &counts});
  EXPECT_GT(counts.put_back, 0);
  EXPECT_LE(counter_share(before, kPages * kPageTokens * cached_token_bytes(config, 4) +
                                      plan.sampling.at(1).device + plan.sampling.at(2).device),
            1);
}

// Conversations of three turns, each its own, whose keys and values are by far the most that there
// is.
class KeptTurns : public testing::Test {
 protected:
  static constexpr int kConversations = 6, kTurns = 3, kDrawn = 24, kOpening = 400;

  KeptTurns() {
    config_ = tiny_config(300);
    config_.hidden_size = 32;
    config_.intermediate_size = 32;
    config_.num_hidden_layers = 24;
    config_.num_attention_heads = 4;
    config_.num_key_value_heads = 4;
    config_.head_dim = 32;
    config_.max_position_embeddings = 600;
    config_.eos_token_ids.clear();
    model_ = std::make_unique<Transformer>(Transformer::initialise(config_, 3));
    for (std::uint64_t k = 0; k < kConversations; ++k) {
      SampleRequest& request = requests_.emplace_back();
      request.prompt = std::string(kOpening, static_cast<char>('a' + k));
      request.addresses = {{.seed = 5, .index = k}};
      request.keep = true;
    }
  }

  // Draws a turn of every conversation and lays out the next.
  void play(EmbeddedPolicy& policy, int turn) {
    const auto groups = policy.sample(requests_, {.max_new_tokens = kDrawn}).value();
    longest_ = 0;
    for (std::size_t k = 0; k < groups.size(); ++k) {
      std::vector<Token> tokens = groups[k].prompt_tokens;
      const auto& drawn = groups[k].completions[0].tokens;
      ASSERT_EQ(drawn.size(), kDrawn);
      tokens.insert(tokens.end(), drawn.begin(), drawn.end());
      longest_ = std::max<std::int64_t>(longest_, std::ssize(tokens));
      requests_[k] = {.prompt = "\ngo on\n",
                      .addresses = {{.seed = 5, .index = k, .salt = 1U + turn}},
                      .prompt_tokens = std::move(tokens),
                      .keep = true};
    }
  }

  // The plan after a turn, with what may be kept of both turns.
  MemoryPlan plan(std::int64_t kept_of_turn) const {
    return plan_memory(config_, {.max_rows = kConversations,
                                 .calls = {{.prompts = kConversations,
                                            .responses = kConversations,
                                            .prompt_tokens = longest_ - kDrawn,
                                            .response_tokens = kDrawn}},
                                 .kept_bytes = 2 * kept_of_turn});
  }

  std::int64_t row_bytes() const { return longest_ * cached_token_bytes(config_, 4); }

  std::unique_ptr<EmbeddedPolicy> policy(std::int64_t max_kept_bytes) const {
    return EmbeddedPolicy::make(*model_, end_and_bytes(), "p",
                                {.max_rows = kConversations, .max_kept_bytes = max_kept_bytes})
        .value();
  }

  ModelConfig config_;
  std::unique_ptr<Transformer> model_;
  std::vector<SampleRequest> requests_;
  std::int64_t longest_ = 0;  // of the sequences after the last turn
};

TEST_F(KeptTurns, TakeWhatIsPlanned) {
  const auto keeping = policy(1 << 30);
  const std::int64_t before = counting_allocator().live();
  for (int turn = 0; turn < kTurns; ++turn) {
    (void)counting_allocator().watch();
    play(*keeping, turn);
    const std::int64_t peak = counting_allocator().peak() - before;
    // All but the token drawn last, which has not passed the network.
    const std::int64_t tokens = kConversations * (longest_ - 1);
    EXPECT_EQ(keeping->kept_bytes(),
              tokens * (cached_token_bytes(config_, 4) + std::int64_t{sizeof(Token)}));
    EXPECT_EQ(counting_allocator().live() - before,
              keeping->kept_bytes() - tokens * std::int64_t{sizeof(Token)})
        << "turn " << turn;
    if (turn == 0) continue;
    const auto with = bytes_of(plan(kConversations * row_bytes()).sampling);
    const auto without = bytes_of(plan(0).sampling);
    std::cout << "turn " << turn << ": " << static_cast<double>(peak) / with
              << " of the plan with kept turns, " << static_cast<double>(peak) / without
              << " of that without\n";
    EXPECT_LE(static_cast<double>(peak), with);
    EXPECT_GT(static_cast<double>(peak), without);
    EXPECT_GT(static_cast<double>(peak), 0.7 * with);
  }
  keeping->drop_kept();
  EXPECT_EQ(counting_allocator().live(), before);
}

TEST_F(KeptTurns, StayWithinTheirLimit) {
  constexpr std::int64_t kLongest = kOpening + kTurns * (kDrawn + 8);
  const std::int64_t two_rows =
      2 * kLongest * (cached_token_bytes(config_, 4) + std::int64_t{sizeof(Token)});
  const auto crowded = policy(two_rows);
  const std::int64_t before = counting_allocator().live();
  for (int turn = 0; turn < kTurns; ++turn) {
    (void)counting_allocator().watch();
    play(*crowded, turn);
    EXPECT_GT(crowded->kept_bytes(), two_rows / 2);
    EXPECT_LE(crowded->kept_bytes(), two_rows);
    EXPECT_LE(static_cast<double>(counting_allocator().peak() - before),
              bytes_of(plan(two_rows).sampling));
  }
}

// What libtorch's operations take to sort rows of logits, thirty-two at a time.
TEST(MemoryCount, DrawingTakesNoMoreThanIsPlanned) {
  constexpr std::int64_t kRows = 100, kVocabulary = 30000;
  const at::Tensor logits = at::randn({kRows, kVocabulary}), uniforms = at::rand({kRows});
  const auto bytes_a_logit = [&](const SampleParameters& parameters) {
    const std::int64_t before = counting_allocator().watch();
    (void)draw_on_device(logits, uniforms, parameters);
    return static_cast<double>(counting_allocator().peak() - before) /
           static_cast<double>(kRowsDrawnAtOnce * kVocabulary);
  };
  EXPECT_LE(bytes_a_logit({.temperature = 0.7}), 25.1);
  EXPECT_GE(bytes_a_logit({.temperature = 0.7}), 16);
  const double sorted = bytes_a_logit({.temperature = 0.7, .top_k = 0, .top_p = 0.9, .min_p = 0.1});
  EXPECT_LE(sorted, 60);
  EXPECT_GE(sorted, 30);
}

// The CPU stands for a GPU with little left: the cache takes its share of that, rows are put back,
// and the responses are those of a GPU with room.
TEST(MemoryCount, TheCacheTakesItsShareOfWhatADeviceHasLeft) {
  ModelConfig config = tiny_config(300);
  config.max_position_embeddings = 256;
  const Transformer model = Transformer::initialise(config, 4);
  const Tokenizer tokenizer = end_and_bytes();
  const auto prompts = counted_prompts({.prompts = 4, .responses = 12, .prompt_tokens = 70});
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
