#include "redqueen/recipes/azr/azr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <sstream>

#include "redqueen/recipes/azr/azr_metrics.h"
#include "redqueen/recipes/loop.h"
#include "redqueen/recipes/session.h"
#include "redqueen/run/test_folder.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::shared_ptr<SandboxService> shared_service() {
  static const auto service = [] {
    SandboxConfig config;
    config.workers = 2;
    return std::make_shared<SandboxService>(config);
  }();
  return service;
}

// The number behind the last `mark` in a text.
std::int64_t number_after(const std::string& text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string::npos ? 0 : std::atoll(text.c_str() + at + mark.size());
}

// Plays both roles on programs that add a constant, by rules that a test may replace. What it writes follows from prompt
// and address alone.
class ScriptedPolicy final : public Policy {
 public:
  // The solver of a step answers right if this says so.
  std::function<bool(const RandomAddress&)> solves = [](const RandomAddress& address) {
    return address.salt % 2 == 0;
  };
  std::function<std::string(const RandomAddress&, const std::string& prompt)> proposes =
      [](const RandomAddress& address, const std::string&) {
        Rng rng(address);
        return fmt::format("def f(x):\n return x + {}\nf({})", rng.integer(1, 1'000'000),
                           rng.integer(1, 1'000'000));
      };
  int calls_left = 1 << 30;  // then it is gone, as if the process had been killed
  std::vector<std::string> prompts;

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    if (calls_left-- <= 0) return failure("killed");
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      CompletionGroup group{.prompt_tokens = {1, 2, 3}, .completions = {}};
      for (const RandomAddress& address : request.rollouts) {
        group.completions.push_back({.text = respond(request.prompt, address) + "</answer>",
                                     .tokens = {4, 5},
                                     .log_probs = {-0.5F, -0.5F}});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

 private:
  std::string respond(const std::string& prompt, const RandomAddress& address) const {
    const auto asks = [&](std::string_view ending) {
      return prompt.ends_with(fmt::format("{}\n<answer>", ending));
    };
    const std::int64_t error = solves(address) ? 0 : 1;
    const std::int64_t constant = number_after(prompt, "return x + ");
    if (prompt.find("\nnew ") != std::string::npos) return proposes(address, prompt);
    if (prompt.find("\ninputs ") != std::string::npos) {
      std::string inputs = "# add a constant";
      for (int i = 0; i < 4; ++i)
        inputs += fmt::format("\nf({})", i + Rng(address).integer(1, 1'000'000));
      return inputs;
    }
    if (asks("error:")) return error == 0 ? "IndexError" : "KeyError";
    if (asks("out:")) return fmt::format("{}", number_after(prompt, "\nf(") + constant + error);
    if (asks("in:")) return fmt::format("{}", number_after(prompt, "is ") - constant + error);
    const std::int64_t difference = number_after(prompt, " is ") - number_after(prompt, "\nf(");
    return fmt::format("def f(x):\n return x + {}", difference + error);
  }
};

TrainSettings settings() {
  TrainSettings settings;
  settings.run = {
      .recipe = "azr", .seed = 7, .steps = 3, .checkpoint_every = 2, .record_rollouts = 6};
  settings.policy.prompt_format = "terse";
  settings.advantage = AdvantageRule::kRoleTaskNormalised;
  settings.azr.prompts = "prompts-terse";
  settings.azr.tasks = 3;
  settings.azr.estimates = 4;
  settings.azr.references = 2;
  settings.azr.inputs = 4;
  settings.azr.seed_factor = 2;
  return settings;
}

std::ostringstream& ignored() {
  static std::ostringstream stream;
  return stream;
}

class AzrTest : public ::testing::Test {
 protected:
  Expected<Recipe> make(Policy& policy) {
    return make_azr({settings_, policy, shared_service(), folder_ / "run", progress_});
  }

  // A recipe whose buffers are seeded.
  Recipe seeded(Policy& policy) {
    auto recipe = make(policy);
    if (!recipe) throw std::runtime_error(recipe.error().message);
    auto store = EventStore::open(folder_ / "seeding.db");
    if (!store) throw std::runtime_error(store.error().message);
    const Status status = recipe->prepare(*store, progress_, stop_);
    if (!status) throw std::runtime_error(status.error().message);
    return std::move(*recipe);
  }

  static double metric(const RecipeBatch& batch, std::string_view name) {
    for (const MetricValue& value : batch.metrics) {
      if (value.name == name) return value.value;
    }
    ADD_FAILURE() << name << " is missing";
    return std::nan("");
  }

  run_test::TestFolder folder_;
  TrainSettings settings_ = settings();
  Progress progress_{ignored(), ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
};

TEST_F(AzrTest, SeedsEveryBufferWithBTimesSTasks) {
  ScriptedPolicy policy;
  const Recipe recipe = seeded(policy);
  const Json state = recipe.state();
  EXPECT_EQ(state["deduction"].size(), 6U);
  EXPECT_EQ(state["abduction"].size(), 6U);
  EXPECT_EQ(state["induction"].size(), 6U);
  EXPECT_THAT(policy.prompts[0], HasSubstr("'Good morning'")) << "the zero triplet comes first";
  auto store = EventStore::open(folder_ / "seeding.db");
  EXPECT_EQ(store.value().items(kTaskItem)->size(), 18U);
}

TEST_F(AzrTest, AStepTrainsOnSixGroupsOfB) {
  ScriptedPolicy policy;
  const Recipe recipe = seeded(policy);
  const auto batch = recipe.step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  std::map<std::pair<std::string, std::string>, int> pools;
  for (const ScoredGroup& group : batch->groups) {
    ++pools[{group.role, group.task}];
    EXPECT_EQ(group.rule, AdvantageRule::kRoleTaskNormalised);
    ASSERT_EQ(group.rollouts.size(), 1U);
    // Half of the estimates are right, and the first answer to every task is.
    EXPECT_EQ(group.rollouts[0].reward, group.role == "proposer" ? 0.5 : 1.0) << group.task;
  }
  ASSERT_EQ(pools.size(), 6U);
  for (const auto& [pool, count] : pools) EXPECT_EQ(count, 3) << pool.first << pool.second;
  EXPECT_EQ(metric(*batch, "success_rate/abduction"), 0.5);
  EXPECT_EQ(metric(*batch, "tasks_by_success/up to two thirds"), 1.0);
  EXPECT_EQ(metric(*batch, "buffer_size/induction"), 9);
  EXPECT_EQ(batch->rollouts.size(), 6U);
  EXPECT_EQ(recipe.state()["deduction"].size(), 9U);
}

// Everything that the store gets is enough to show a task with its success rate.
TEST_F(AzrTest, ProposalsAndTasksBecomeItems) {
  ScriptedPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string&) -> std::string {
    if (address.index == 1) return "def f(x):\n import random\n return 1\nf(2)";
    if (address.index == 2) return "no thanks";
    return fmt::format("def f(x):\n return x + {}\nf(1)", address.index);
  };
  settings_.azr.seed_factor = 1;
  const Recipe recipe = seeded(policy);
  const auto batch = recipe.step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  std::map<std::string, int> fates;
  for (const ItemRecord& item : batch->items) {
    if (item.kind == kProposalItem) ++fates[item.fate];
    if (item.kind != kTaskItem) continue;
    EXPECT_EQ(item.fate, "sometimes");
    EXPECT_EQ(item.data["success"], 0.5);
    const auto task = CodeTask::read_json(item.data["task"]);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->name(), item.name);
  }
  EXPECT_EQ(fates["banned"], 2);
  EXPECT_EQ(fates["no_program"], 2);
  EXPECT_EQ(fates["valid"], 5);
}

TEST_F(AzrTest, ExtremeTasksEarnNothingAndInvalidOnesLess) {
  ScriptedPolicy policy;
  policy.solves = [](const RandomAddress&) { return true; };
  const Recipe recipe = seeded(policy);
  const auto easy = recipe.step(1);
  ASSERT_TRUE(easy);
  for (const ScoredGroup& group : easy->groups) {
    EXPECT_EQ(group.rollouts[0].reward, group.role == "proposer" ? -0.5 : 1.0);
  }
  policy.proposes = [](const RandomAddress&, const std::string&) { return "def f(x):"; };
  const auto invalid = recipe.step(2);
  ASSERT_TRUE(invalid);
  for (const ScoredGroup& group : invalid->groups) {
    if (group.role != "proposer" || group.task == "induction") continue;
    EXPECT_EQ(group.rollouts[0].reward, -1.0);
  }
  // The solver's batch is full nevertheless, out of the buffers.
  EXPECT_EQ(std::ranges::count(invalid->groups, "solver", &ScoredGroup::role), 9);
  EXPECT_EQ(metric(*invalid, "filled_tasks/deduction"), 3);
  EXPECT_EQ(metric(*invalid, "valid_proposals/deduction"), 0);
}

// --- options -----------------------------------------------------------------------------------------------------------

TEST_F(AzrTest, EstimatesMayServeTheSolver) {
  settings_.azr.rollouts = 4;
  ScriptedPolicy fresh;
  const auto one = seeded(fresh).step(1);
  settings_.azr.reuse_estimates = true;
  fresh.prompts.clear();
  ScriptedPolicy reusing;
  auto other_recipe = make(reusing);
  ASSERT_TRUE(other_recipe);
  auto store = EventStore::open(folder_ / "other.db");
  ASSERT_TRUE(other_recipe->prepare(*store, progress_, stop_));
  const auto other = other_recipe->step(1);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->sampled_tokens - other->sampled_tokens, 3 * 3 * 4 * 2);
  EXPECT_EQ(one->groups.size(), other->groups.size());
  for (const ScoredGroup& group : other->groups) {
    EXPECT_EQ(group.rollouts.size(), group.role == "solver" ? 4U : 1U);
  }
}

TEST_F(AzrTest, TheProposerMayBeLeftAlone) {
  settings_.azr.train_proposer = false;
  ScriptedPolicy policy;
  const auto batch = seeded(policy).step(1);
  ASSERT_TRUE(batch);
  for (const ScoredGroup& group : batch->groups) EXPECT_EQ(group.role, "solver");
}

TEST_F(AzrTest, KnownTasksMayBeRefused) {
  ScriptedPolicy policy;
  settings_.azr.seed_factor = 1;
  settings_.azr.reject_known = true;
  settings_.azr.seed_rounds = 3;
  // Another input does not make another program.
  policy.proposes = [](const RandomAddress& address, const std::string&) {
    return fmt::format("def f(x):\n return x + 1\nf({})", Rng(address).integer(1, 1'000'000));
  };
  const Recipe recipe = seeded(policy);
  EXPECT_EQ(recipe.state()["deduction"].size(), 1U);
  EXPECT_EQ(recipe.state()["induction"].size(), 3U);
  const auto batch = recipe.step(1);
  ASSERT_TRUE(batch);
  EXPECT_EQ(metric(*batch, "valid_proposals/deduction"), 0);
  EXPECT_EQ(metric(*batch, "rejected/known"), 6);
}

TEST_F(AzrTest, ErrorTasksAreAFourthType) {
  settings_.azr.error_tasks = true;
  ScriptedPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string& prompt) {
    const std::int64_t number = Rng(address).integer(1, 1'000'000);
    if (prompt.find("new error") != std::string::npos)
      return fmt::format("def f(x):\n return x[{}]\nf([])", number);
    return fmt::format("def f(x):\n return x + {}\nf(1)", number);
  };
  const Recipe recipe = seeded(policy);
  const auto batch = recipe.step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->groups.size(), 24U);
  EXPECT_EQ(metric(*batch, "success_rate/error"), 0.5);
}

TEST_F(AzrTest, CompositeProposalsBuildOnEarlierPrograms) {
  settings_.azr.composite_share = 1.0;
  settings_.azr.composite_programs = 2;
  ScriptedPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string& prompt) {
    const std::int64_t number = Rng(address).integer(1, 1'000'000);
    std::string value = "x";
    if (prompt.find("with g_0") != std::string::npos) value = "g_0(x)";
    if (prompt.find("with g_0, g_1") != std::string::npos) value = "g_1(g_0(x))";
    return fmt::format("def f(x):\n return {} + {}\nf(1)", value, number);
  };
  const Recipe recipe = seeded(policy);
  const auto batch = recipe.step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(metric(*batch, "valid_proposals/deduction"), 1.0);
  int composed = 0;
  for (const ItemRecord& item : batch->items) {
    if (item.kind == kTaskItem && item.data["task"].value("components", 0) > 0) ++composed;
  }
  EXPECT_GE(composed, 6);
}

TEST_F(AzrTest, IntrinsicRewardsRaiseTheProposers) {
  Proposal proposal;
  proposal.reason = Reason::kValid;
  proposal.success = 0.5;
  proposal.measures.cognitive = 10;
  proposal.measures.halstead = 200;
  proposal.difference = 0.4;
  proposal.diversity = 0.9;
  AzrSettings azr;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.5);
  azr.cognitive_weight = 1;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 1.0);
  azr.cognitive_weight = 0;
  azr.halstead_weight = 0.5;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.75);
  azr.halstead_weight = 0;
  azr.distance_weight = 1;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.9);
  azr.diversity_weight = 1;
  azr.aggregation = RewardAggregation::kProductOfSums;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.5 * (0.4 + 0.9));
  azr.aggregation = RewardAggregation::kProduct;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.5 * 0.4 * 0.9);
  // The program of an induction task is not the proposer's choice: its distance is nobody's merit or fault.
  proposal.draft.type = TaskType::kInduction;
  proposal.difference = 0;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.5 * 0.9);
  proposal.reason = Reason::kRaised;
  EXPECT_EQ(proposer_reward(proposal, azr), -1.0);
}

TEST_F(AzrTest, PromptsKeepWithinTheirLimit) {
  settings_.azr.max_prompt_bytes = 120;
  settings_.azr.references = 6;
  ScriptedPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string&) {
    return fmt::format("def f(x):\n return x + {}\nf({})", Rng(address).integer(1, 1'000'000),
                       address.index % 2 == 0 ? "1" : "'" + std::string(100, 'a') + "' and 1");
  };
  const auto batch = seeded(policy).step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  for (const std::string& prompt : policy.prompts)
    EXPECT_LE(prompt.size(), 120 + std::string("\n<answer>").size());
}

TEST_F(AzrTest, GroupRulesAreRefused) {
  EXPECT_TRUE(check_azr(settings_));
  settings_.advantage = AdvantageRule::kGroupNormalised;
  const Status status = check_azr(settings_);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("trr++"));
  settings_ = settings();
  settings_.azr.prompts = "no-such-prompts";
  EXPECT_FALSE(check_azr(settings_));
}

// --- interruption ------------------------------------------------------------------------------------------------------

// Counts, and keeps its count in the checkpoint.
class CountingTrainer final : public Trainer {
 public:
  Expected<StepReport> step(std::span<const ScoredGroup> groups) override {
    return StepReport{.step = ++steps_, .groups = groups.size()};
  }
  std::int64_t steps() const override { return steps_; }
  Status save(const std::filesystem::path& folder) const override {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "steps") << steps_;
    return {};
  }
  Status load(const std::filesystem::path& folder) override {
    std::ifstream(folder / "steps") >> steps_;
    return {};
  }

 private:
  std::int64_t steps_ = 0;
};

// What a run left behind, less its timings.
struct Trace {
  std::vector<ItemPoint> tasks, proposals;
  std::map<std::string, std::vector<MetricPoint>> metrics;
  std::string state;
};

class Interrupted : public AzrTest {
 protected:
  // One process: from the newest checkpoint to the end, or until the policy dies. Returns whether it came to the end.
  bool process(const std::string& name, int calls) {
    const std::filesystem::path run = folder_ / name;
    auto directory = std::filesystem::exists(run) ? RunDirectory::open(run)
                                                  : RunDirectory::create(run, "# test\n");
    auto store = EventStore::open(directory.value().database_path());
    ScriptedPolicy policy;
    policy.calls_left = calls;
    CountingTrainer trainer;
    const auto recipe = make(policy);
    const auto save_policy = [](const std::filesystem::path&) { return Status(); };
    const LoopParts parts{*directory, *store, trainer, *recipe, progress_, save_policy, stop_};
    const auto done = resume(parts);
    if (!done) throw std::runtime_error(done.error().message);
    const auto outcome = run_loop(parts, settings_.run, *done);
    if (outcome)
      state_ = dump_json(recipe->state());
    else
      EXPECT_THAT(outcome.error().message, HasSubstr("killed"));
    return outcome.has_value();
  }

  Trace trace(const std::string& name) {
    auto store = EventStore::open(folder_ / name / "run.db");
    Trace trace{*store->items(kTaskItem), *store->items(kProposalItem), {}, state_};
    const auto names = store->metric_names();
    for (const std::string& metric : *names) {
      if (metric.find("seconds") == std::string::npos &&
          metric.find("tokens_per") == std::string::npos)
        trace.metrics[metric] = *store->metric(metric);
    }
    return trace;
  }

  std::string state_;
};

TEST_F(Interrupted, ARunThatIsKilledAnywhereEndsAsIfItHadNotBeen) {
  ASSERT_TRUE(process("whole", 1 << 30));
  const Trace whole = trace("whole");
  ASSERT_GT(whole.tasks.size(), 18U);
  // Seeding has two rounds of triplets with two calls each, and two of induction; a step has nine calls.
  for (const int calls : {1, 2, 3, 5, 6, 8, 14, 16}) {
    const std::string name = fmt::format("killed-{}", calls);
    EXPECT_FALSE(process(name, calls));
    int processes = 1;
    while (!process(name, 20)) ASSERT_LT(++processes, 10);
    const Trace killed = trace(name);
    EXPECT_EQ(killed.state, whole.state) << calls;
    EXPECT_EQ(killed.tasks, whole.tasks) << calls;
    EXPECT_EQ(killed.proposals, whole.proposals) << calls;
    ASSERT_EQ(killed.metrics.size(), whole.metrics.size()) << calls;
    for (const auto& [metric, points] : whole.metrics) {
      const auto& others = killed.metrics.at(metric);
      ASSERT_EQ(others.size(), points.size()) << metric;
      for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_TRUE(others[i] == points[i] ||
                    (std::isnan(others[i].value) && std::isnan(points[i].value)))
            << metric << " at " << points[i].step;
      }
    }
  }
}

TEST_F(Interrupted, WhatSeedingStoredIsNotAskedForAgain) {
  EXPECT_FALSE(process("run", 4));  // two rounds of triplets are stored
  ScriptedPolicy policy;
  auto recipe = make(policy);
  auto store = EventStore::open(folder_ / "run" / "run.db");
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  for (const std::string& prompt : policy.prompts) EXPECT_THAT(prompt, HasSubstr("inputs 4:"));
}

TEST_F(AzrTest, SeedingStopsWhenAskedTo) {
  ScriptedPolicy policy;
  auto recipe = make(policy);
  auto store = EventStore::open(folder_ / "stopped.db");
  stop_ = true;
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  EXPECT_TRUE(policy.prompts.empty());
}

TEST_F(AzrTest, APolicyThatCannotProposeIsToldAndTrainedNevertheless) {
  std::ostringstream said;
  Progress progress(said, ProgressMode::kQuiet);
  ScriptedPolicy policy;
  policy.proposes = [](const RandomAddress&, const std::string&) { return "?"; };
  settings_.azr.seed_rounds = 2;
  auto recipe = make_azr({settings_, policy, shared_service(), folder_ / "run", progress});
  ASSERT_TRUE(recipe);
  auto store = EventStore::open(folder_ / "empty.db");
  ASSERT_TRUE(recipe->prepare(*store, progress, stop_));
  EXPECT_THAT(said.str(), HasSubstr("deduction has 0 of 6 tasks after 2 rounds"));
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(std::ranges::count(batch->groups, "proposer", &ScoredGroup::role), 9);
}

TEST_F(AzrTest, StateOfAnotherShapeIsRefused) {
  ScriptedPolicy policy;
  auto recipe = make(policy);
  EXPECT_FALSE(recipe->restore(Json::object()));
  EXPECT_FALSE(recipe->restore(Json{{"deduction", 1}}));
}

// --- the embedded policy -----------------------------------------------------------------------------------------------

// Random weights write nothing sensible; sampling, rewards and updates work on it all the same.
TEST_F(AzrTest, TrainsTheEmbeddedPolicy) {
  settings_.model = {.vocabulary = 300,
                     .hidden_size = 32,
                     .intermediate_size = 64,
                     .layers = 1,
                     .heads = 2,
                     .key_value_heads = 1,
                     .head_dim = 16,
                     .context = 512};
  settings_.run.threads = 1;
  settings_.run.steps = 2;
  settings_.sampling.max_new_tokens = 24;
  settings_.azr.seed_rounds = 1;
  settings_.azr.max_prompt_bytes = 300;
  settings_.trainer.token_budget = 2048;
  const auto policy =
      make_policy(settings_, {"def f(x):\n return x + 1\nf(2)\n", "new out: new in: inputs 4:"});
  ASSERT_TRUE(policy) << policy.error().message;
  auto trainer = EmbeddedTrainer::create(**policy, settings_.trainer);
  ASSERT_TRUE(trainer) << trainer.error().message;
  auto recipe = make(**policy);
  ASSERT_TRUE(recipe);
  auto directory = RunDirectory::create(folder_ / "run", "# test\n");
  auto store = EventStore::open(directory.value().database_path());
  const auto save_policy = [](const std::filesystem::path&) { return Status(); };
  const LoopParts parts{*directory, *store, **trainer, *recipe, progress_, save_policy, stop_};
  const auto outcome = run_loop(parts, settings_.run, 0);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->step, 2);
  EXPECT_EQ(store->metric("proposer_reward/deduction")->size(), 2U);
}

}  // namespace
}  // namespace redqueen
