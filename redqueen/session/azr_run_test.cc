#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "redqueen/recipes/azr/azr_metrics.h"
#include "redqueen/recipes/azr/testing/self_play.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/loop.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

using azr::AzrTest;

using ::testing::HasSubstr;

// --- interruption -------------------------------------------------------------------------------

// Counts, and keeps its count in the checkpoint.
class AzrRunCountingTrainer final : public Trainer {
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
  std::vector<run::ItemPoint> tasks, proposals;
  std::map<std::string, std::vector<run::MetricPoint>> metrics;
  std::string state;
};

class Interrupted : public azr::AzrTest {
 protected:
  // One process: from the newest checkpoint to the end, or until the policy dies. Returns whether
  // it came to the end.
  bool process(const std::string& name, int calls) {
    const std::filesystem::path run = folder_ / name;
    auto directory = std::filesystem::exists(run) ? run::RunDirectory::open(run)
                                                  : run::RunDirectory::create(run, "# test\n");
    auto store = run::EventStore::open(directory.value().database_path());
    azr::SelfPlayPolicy policy;
    policy.calls_left = calls;
    AzrRunCountingTrainer trainer;
    const auto recipe = make(policy);
    const auto save_policy = [](const auto&, const auto&) { return Status(); };
    const LoopParts parts{*directory, *store,    {{"", trainer, save_policy}},
                          *recipe,    progress_, stop_};
    auto start = resume(parts);
    if (!start) throw std::runtime_error(start.error().message);
    const auto outcome = run_loop(parts, settings_.run, *std::move(start));
    if (outcome)
      state_ = dump_json(recipe->state());
    else
      EXPECT_THAT(outcome.error().message, HasSubstr("killed"));
    return outcome.has_value();
  }

  Trace trace(const std::string& name) {
    auto store = run::EventStore::open(folder_ / name / "run.db");
    Trace trace{*store->items(azr::kTaskItem), *store->items(azr::kProposalItem), {}, state_};
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
  // Seeding has two rounds of triplets with two calls each, and two of induction; a step has nine
  // calls.
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
  azr::SelfPlayPolicy policy;
  auto recipe = make(policy);
  auto store = run::EventStore::open(folder_ / "run" / "run.db");
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  for (const std::string& prompt : policy.prompts) EXPECT_THAT(prompt, HasSubstr("inputs 4:"));
}

// --- the embedded policy ------------------------------------------------------------------------

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
  settings_.table<azr::AzrSettings>().seed_rounds = 1;
  settings_.table<azr::AzrSettings>().max_prompt_bytes = 300;
  settings_.trainer.micro_batch_tokens = 2048;
  const auto policy =
      make_policy(settings_, {"def f(x):\n return x + 1\nf(2)\n", "new out: new in: inputs 4:"});
  ASSERT_TRUE(policy) << policy.error().message;
  auto trainer = EmbeddedTrainer::create(**policy, settings_.trainer);
  ASSERT_TRUE(trainer) << trainer.error().message;
  auto recipe = make(**policy);
  ASSERT_TRUE(recipe);
  auto directory = run::RunDirectory::create(folder_ / "run", "# test\n");
  auto store = run::EventStore::open(directory.value().database_path());
  const auto save_policy = [](const auto&, const auto&) { return Status(); };
  const LoopParts parts{*directory, *store,    {{"", **trainer, save_policy}},
                        *recipe,    progress_, stop_};
  const auto outcome = run_loop(parts, settings_.run, {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->step, 2);
  EXPECT_EQ(store->metric("proposer_reward/deduction")->size(), 2U);
}

}  // namespace
}  // namespace redqueen
