#include "redqueen/train/memory_plan.h"

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/own_process.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kFileVariable = "REDQUEEN_MEMORY_TEST_FILE";
constexpr const char* kCaseVariable = "REDQUEEN_MEMORY_TEST_CASE";

ModelConfig roomy_config(int vocab_size) {
  ModelConfig config = tiny_config(vocab_size);
  config.max_position_embeddings = 128;
  return config;
}

ModelConfig measured_config() {
  ModelConfig config = roomy_config(6000);
  config.hidden_size = 192;
  config.intermediate_size = 512;
  config.num_hidden_layers = 5;
  config.num_attention_heads = 6;
  config.num_key_value_heads = 2;
  config.head_dim = 32;
  return config;
}

// The steps that are measured: one micro-batch of all tokens; the same with checkpointing, in
// bfloat16, offloaded.
MemoryDemand measured_demand(int number) {
  MemoryDemand demand{.micro_batch_tokens = 1500};
  demand.activation_checkpointing = number == 1;
  demand.weight_bytes = number == 2 ? 2 : 4;
  demand.offload_optimizer = number == 3;
  return demand;
}

// Bytes; nothing where the kernel does not count them.
std::optional<std::int64_t> status_entry(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key + ":")) return std::atoll(line.c_str() + key.size() + 1) * 1024;
  }
  return std::nullopt;
}

// Starts the count of the highest resident size anew: what a process took before is not the step's.
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

void train_once(const ModelConfig& config, const MemoryDemand& demand) {
  const Transformer model = Transformer::initialise(
      config, 3, {.dtype = demand.weight_bytes == 2 ? at::kBFloat16 : at::kFloat});
  TrainerOptions options;
  options.micro_batch_tokens = demand.micro_batch_tokens;
  options.activation_checkpointing = demand.activation_checkpointing;
  options.optimizer.offload = demand.offload_optimizer;
  const auto trainer = EmbeddedTrainer::create(model, options).value();
  Rng rng({.seed = 8, .purpose = hash_name("memory_plan_test")});
  std::vector<ScoredGroup> groups;
  for (std::int64_t left = demand.micro_batch_tokens; left >= 320; left -= 320) {  // 40 + 8 × 35
    ScoredGroup group{.role = "solver"};
    group.prompt.assign(40, 1);
    for (int k = 0; k < 8; ++k) {
      Completion completion{.tokens = std::vector<Token>(35, 2)};
      for (Token& token : completion.tokens)
        token = static_cast<Token>(rng.integer(0, config.vocab_size - 1));
      completion.log_probs.assign(35, -8.7F);
      group.rollouts.push_back({std::move(completion), static_cast<double>(k)});
    }
    groups.push_back(std::move(group));
  }
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(trainer->step(groups).has_value());
}

// What the measured process runs: a fresh one, so that nothing that earlier tests freed is counted
// as there.
TEST(MemoryProcess, DISABLED_WritesItsPeak) {
  const char* file = std::getenv(kFileVariable);
  const char* number = std::getenv(kCaseVariable);
  if (file == nullptr || number == nullptr) GTEST_SKIP() << "run by the test of the plan";
  at::set_num_threads(1);
  train_once(roomy_config(16), {.micro_batch_tokens = 400});  // loads what libtorch loads
  ::malloc_trim(0);
  const auto before = status_entry("VmRSS");
  const bool counted = forget_peak() && before && status_entry("VmHWM");
  train_once(measured_config(), measured_demand(std::atoi(number)));
  std::ofstream out(file);
  if (counted) {
    out << *status_entry("VmHWM") - *before;
  } else {
    out << "no counter";
  }
}

// What the process wrote: bytes, or "no counter". Empty if it failed.
std::string measure(int number) {
  const TestFolder folder;
  const std::string file = folder.path() / "peak";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kFileVariable, file.c_str(), 1);
    ::setenv(kCaseVariable, std::to_string(number).c_str(), 1);
    become_tests("MemoryProcess.*");
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? read_file(file) : "";
}

// The factor that memory_plan.h states, for one learner: a plan of several is the sum. The measure
// is how far the resident size of a fresh process rises above what it was before the step. It takes
// two things of the kernel: VmHWM in /proc/self/status, and leave to reset it by
// /proc/self/clear_refs. Where they are missing (a kernel without CONFIG_PROC_PAGE_MONITOR, some
// containers) there is nothing to compare the plan with, and the test skips.
TEST(MemoryPlan, IsWhatAStepTakes) {
  for (int number = 0; number < 4; ++number) {
    const MemoryPlan plan = plan_memory(measured_config(), measured_demand(number));
    const auto planned = static_cast<double>(plan.device_peak() + plan.host_peak());
    const std::string found = measure(number);
    if (found == "no counter")
      GTEST_SKIP() << "this kernel does not count the highest resident size";
    const double measured = std::atof(found.c_str());
    ASSERT_GT(measured, 0) << "case " << number << ": the measured process wrote '" << found << "'";
    RecordProperty("measured_" + std::to_string(number), std::to_string(measured / planned));
    std::cout << "case " << number << ": planned " << planned / 1e6 << " MB (" << memory_text(plan)
              << "), measured " << measured / 1e6 << " MB\n";
    EXPECT_LT(measured, 1.5 * planned) << "case " << number;
    EXPECT_GT(measured, planned / 1.5) << "case " << number;
  }
}

ModelConfig large_config() {  // about 1.7 billion parameters
  ModelConfig config;
  config.vocab_size = 151936;
  config.hidden_size = 2048;
  config.intermediate_size = 6144;
  config.num_hidden_layers = 28;
  config.num_attention_heads = 16;
  config.num_key_value_heads = 8;
  config.head_dim = 128;
  config.max_position_embeddings = 40960;
  config.tie_word_embeddings = true;
  return config;
}

MemoryDemand large_demand() {
  return {
      .weight_bytes = 2,
      .on_device = true,
      .micro_batch_tokens = 16384,
      .max_rows = 512,
      .calls = {{.prompts = 32, .responses = 512, .prompt_tokens = 512, .response_tokens = 2048}}};
}

TEST(MemoryPlan, CountsWhatTheParametersTake) {
  const auto count = static_cast<double>(large_config().parameter_count());
  MemoryDemand demand = large_demand();
  demand.max_rows = 1;  // training is the worse moment
  const MemoryPlan plan = plan_memory(large_config(), demand);
  double lasting = 0;
  for (const MemoryPart& part : plan.lasting) lasting += static_cast<double>(part.device);
  EXPECT_NEAR(lasting / count, 2 + 4 + 8, 1e-9) << "weights, masters, moments";
  MemoryDemand offloaded = demand;
  offloaded.offload_optimizer = true;
  const MemoryPlan less = plan_memory(large_config(), offloaded);
  EXPECT_NEAR(static_cast<double>(plan.device_peak() - less.device_peak()) / count, 16, 1e-9);
  EXPECT_NEAR(static_cast<double>(less.host_peak()) / count, 16, 0.5);
}

// 2 × 28 layers × 8 heads × 128 × 2 bytes = 114688 bytes a token. The keys or values of a layer are
// there twice while the cache grows.
TEST(MemoryPlan, CountsTheCacheOfEveryRow) {
  MemoryDemand demand = large_demand();
  demand.on_device = false;
  const auto cache = [&] { return plan_memory(large_config(), demand).sampling[0].device; };
  const std::int64_t before = cache(), page = 64 * (114688 + 8 * 128 * 2);
  demand.max_rows += 16;
  demand.calls[0].responses += 16;
  demand.calls[0].prompts += 1;
  EXPECT_EQ(cache() - before, page * (16 * 32 + 8));
  // Every response has pages of its own: a token more takes one more of each row. The last token is
  // not cached.
  demand.calls[0].response_tokens = 65;
  const std::int64_t one_page = cache();
  demand.calls[0].response_tokens = 66;
  EXPECT_EQ(cache() - one_page, page * 528);
  // No more than a prompt a row is cached, and one whose other responses wait.
  demand.calls[0].prompts = demand.calls[0].responses = 4000;
  const std::int64_t own_prompts = cache();
  EXPECT_EQ(own_prompts, page * (1 + 529 * 8 + 528 * 2));
  demand.calls[0].prompts = demand.calls[0].responses = 9000;
  EXPECT_EQ(cache(), own_prompts);
}

// The plan is that of the worst call; what it says of settings names the one that bounds it.
TEST(MemoryPlan, CountsTheWorstCall) {
  MemoryDemand demand = large_demand();
  demand.on_device = false;
  demand.micro_batch_tokens = 0;
  const std::int64_t alone = plan_memory(large_config(), demand).device_peak();
  demand.calls.push_back(
      {.prompts = 5, .responses = 5, .prompt_tokens = 9, .response_tokens = 40, .trained = false});
  EXPECT_EQ(plan_memory(large_config(), demand).device_peak(), alone);
  demand.calls.push_back({.prompts = 512,
                          .responses = 512,
                          .prompt_tokens = 512,
                          .response_tokens = 8000,
                          .limit = "writer.tokens"});
  const std::int64_t worse = plan_memory(large_config(), demand).device_peak();
  EXPECT_GT(worse, 3 * alone);
  const ModelMemory model{"my/policy", large_config(), demand};
  const Status refused = check_memory({&model, 1}, {.host = worse * 3 / 5});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Any of these makes it fit: policy.max_rows=256"));
  EXPECT_THAT(refused.error().message, HasSubstr("writer.tokens=4000 ("));
}

// Where several size classes are recorded, each has its logits; sorting takes sixty bytes a logit
// of 32 rows.
TEST(MemoryPlan, CountsWhatIsSortedOnAGpu) {
  MemoryDemand demand = large_demand();
  demand.micro_batch_tokens = 0;
  const auto probabilities = [&](bool greedy, bool cuts) {
    demand.calls[0].greedy = greedy;
    demand.calls[0].cuts = cuts;
    return plan_memory(large_config(), demand).sampling[2].device;
  };
  const std::int64_t plain = probabilities(false, false);
  EXPECT_GT(plain, 2 * 2 * 512 * std::int64_t{151936});
  EXPECT_GT(probabilities(true, false), plain);
  const std::int64_t sorted = probabilities(false, true);
  EXPECT_GT(sorted - plain, 5 * 32 * 60 * std::int64_t{151936});
  EXPECT_LT(sorted - plain, 512 * 60 * std::int64_t{151936}) << "never of all rows at once";
}

Status check_one(const ModelConfig& config, const MemoryDemand& demand,
                 const MemorySupply& supply) {
  const ModelMemory model{"my/policy", config, demand};
  return check_memory({&model, 1}, supply);
}

// What conversations keep between their turns lies beside the cache, on a GPU and on the CPU.
TEST(MemoryPlan, CountsWhatConversationsKeep) {
  const std::int64_t kept = 1'000'000'000, card = 80'000'000'000;
  for (const bool on_device : {false, true}) {
    MemoryDemand demand = large_demand();
    demand.on_device = on_device;
    demand.micro_batch_tokens = 0;
    const MemoryPlan without = plan_memory(large_config(), demand);
    const SamplingRoom more = sampling_room(large_config(), demand, card);
    demand.kept_bytes = kept;
    const MemoryPlan with = plan_memory(large_config(), demand);
    EXPECT_EQ(with.device_peak(), without.device_peak() + kept);
    EXPECT_THAT(memory_text(with), HasSubstr("kept turns 1.0 GB"));
    if (!on_device) continue;
    const SamplingRoom less = sampling_room(large_config(), demand, card);
    EXPECT_LE(less.cache, more.cache - kept * 7 / 8);
    const std::int64_t between = with.device_peak() - 1;
    const Status refused =
        check_one(large_config(), demand, {.host = 1'000'000'000'000, .device = between});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("policy.kept_mb=0"));
  }
}

// An engine elsewhere samples: no cache, but adapters are added into a copy of the model.
TEST(MemoryPlan, CountsTheCopyForAnEngine) {
  MemoryDemand demand = large_demand();
  demand.calls.clear();
  demand.hands_over = true;
  EXPECT_TRUE(plan_memory(large_config(), demand).sampling.empty());
  demand.adapters = 1000;
  const MemoryPlan plan = plan_memory(large_config(), demand);
  ASSERT_EQ(plan.sampling.size(), 1U);
  EXPECT_EQ(plan.sampling[0].device, 2 * large_config().parameter_count());
}

// A GPU takes the rows that fit: the plan does not grow with them, save for their probabilities.
TEST(MemoryPlan, OnAGpuTheCacheTakesWhatIsLeft) {
  MemoryDemand demand = large_demand();
  demand.micro_batch_tokens = 0;
  demand.calls[0].response_tokens = 24576;
  const ModelConfig config = large_config();
  const MemoryPlan plan = plan_memory(config, demand);
  EXPECT_LT(plan.device_peak(), 25'000'000'000);
  const std::int64_t others = plan.sampling[1].device + plan.sampling[2].device;
  for (const std::int64_t device : {plan.device_peak(), std::int64_t{80'000'000'000}}) {
    const SamplingRoom room = sampling_room(config, demand, device);
    const std::int64_t free = device - plan.lasting[0].device;
    EXPECT_GE(free - room.cache, others) << "passes have room beside the cache";
    EXPECT_GE(room.cache, plan.sampling[0].device);
    EXPECT_GE(room.full_rows, 1);
    EXPECT_NEAR(static_cast<double>(room.rows) / static_cast<double>(room.full_rows), 4, 0.7);
  }
}

TEST(MemoryPlan, LogitsAreCountedAsTheyAreMade) {
  MemoryDemand demand = large_demand();
  const auto logits = [&](bool on_device, std::int64_t tokens) {
    demand.on_device = on_device;
    demand.micro_batch_tokens = tokens;
    return plan_memory(large_config(), demand).training[2].device;
  };
  EXPECT_LT(logits(true, 16384), 1'200'000'000) << "less than a ninth of all 16384 × 151936";
  EXPECT_EQ(logits(true, 16384), logits(true, 65536)) << "a tile, however many tokens there are";
  EXPECT_LT(logits(false, 16384), 400'000'000);
}

TEST(MemoryPlan, SavingMemorySavesMemory) {
  const auto need = [](const auto& change) {
    MemoryDemand demand = large_demand();
    demand.max_rows = 1;  // training is the worse moment
    change(demand);
    const MemoryPlan plan = plan_memory(large_config(), demand);
    return plan.device_peak();
  };
  const std::int64_t plain = need([](MemoryDemand&) {});
  EXPECT_LT(need([](MemoryDemand& d) { d.activation_checkpointing = true; }), plain * 2 / 3);
  EXPECT_LT(need([](MemoryDemand& d) { d.micro_batch_tokens /= 2; }), plain);
  EXPECT_LT(need([](MemoryDemand& d) { d.offload_optimizer = true; }), plain);
  EXPECT_GT(need([](MemoryDemand& d) { d.reference = true; }), plain);
}

TEST(CheckMemory, RefusesExactlyWhatDoesNotFit) {
  const MemoryPlan plan = plan_memory(large_config(), large_demand());
  const auto check = [&](std::int64_t device, std::int64_t host) {
    return check_one(large_config(), large_demand(), {.host = host, .device = device});
  };
  EXPECT_TRUE(check(plan.device_peak(), plan.host_peak()));
  EXPECT_FALSE(check(plan.device_peak() - 1, plan.host_peak()));
  EXPECT_FALSE(check(plan.device_peak(), plan.host_peak() - 1));
  EXPECT_TRUE(check_one(large_config(), large_demand(), {})) << "nothing is known";
  MemoryDemand twice = large_demand();
  twice.on_device = false;
  const std::int64_t one = plan_memory(large_config(), twice).device_peak() +
                           plan_memory(large_config(), twice).host_peak();
  twice.processes = 2;
  EXPECT_TRUE(check_one(large_config(), twice, {.host = 2 * one}));
  EXPECT_FALSE(check_one(large_config(), twice, {.host = 2 * one - 2}));
}

TEST(CheckMemory, TellsNumbersAndWhatWouldHelp) {
  const MemoryPlan plan = plan_memory(large_config(), large_demand());
  const auto message = [&](std::int64_t device) {
    return check_one(large_config(), large_demand(), {.host = 1'000'000'000'000, .device = device})
        .error()
        .message;
  };
  const std::string tight = message(plan.device_peak() * 9 / 10);
  EXPECT_THAT(tight, HasSubstr("GB on the device"));
  EXPECT_THAT(tight, HasSubstr("moments 13.8 GB"));
  EXPECT_THAT(tight, HasSubstr("Any of these makes it fit:"));
  EXPECT_THAT(tight, Not(HasSubstr("policy.dtype=bfloat16"))) << "it is bfloat16 already";
  EXPECT_THAT(message(20'000'000'000), HasSubstr("No single setting is enough"));
  EXPECT_THAT(message(1'000'000'000), HasSubstr("smaller model"));
}

// Each learner brings its own; a setting that saves memory saves it for all of them.
TEST(CheckMemory, AddsUpSeveralModels) {
  MemoryDemand small = large_demand();
  small.micro_batch_tokens = 4096;
  small.max_rows = 64;
  const std::vector<ModelMemory> models{{"my/asker", large_config(), large_demand()},
                                        {"my/answerer", large_config(), small}};
  std::int64_t device = 0, host = 0;
  for (const ModelMemory& model : models) {
    const MemoryPlan plan = plan_memory(model.config, model.demand);
    device += plan.device_peak();
    host += plan.host_peak();
  }
  EXPECT_TRUE(check_memory(models, {.host = host, .device = device}));
  EXPECT_FALSE(check_memory(models, {.host = host - 1, .device = device}));
  const Status refused = check_memory(models, {.host = host, .device = device - 1});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("my/asker, my/answerer: This needs about"));
  EXPECT_THAT(refused.error().message, HasSubstr("my/answerer: weights 3.4 GB"));
  // Updates are the worse moment of both, and half the asker's are enough.
  EXPECT_THAT(refused.error().message, HasSubstr("train.micro_batch_tokens=8192 ("));

  // One of them alone would fit where both do not.
  EXPECT_TRUE(check_memory({models.data(), 1}, {.host = host, .device = device - 1}));
  // On the CPU every process has both.
  std::vector<ModelMemory> on_cpu = models;
  std::int64_t one = 0;
  for (ModelMemory& model : on_cpu) {
    model.demand.on_device = false;
    const MemoryPlan plan = plan_memory(model.config, model.demand);
    one += plan.device_peak() + plan.host_peak();
    model.demand.processes = 3;
  }
  EXPECT_TRUE(check_memory(on_cpu, {.host = 3 * one}));
  EXPECT_FALSE(check_memory(on_cpu, {.host = 3 * one - 3}));
}

}  // namespace
}  // namespace redqueen
