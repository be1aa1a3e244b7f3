#include "redqueen/recipes/azr/azr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "redqueen/recipes/azr/azr_charts.h"
#include "redqueen/recipes/azr/azr_metrics.h"
#include "redqueen/recipes/azr/azr_recipe.h"
#include "redqueen/recipes/azr/chance.h"
#include "redqueen/recipes/azr/testing/self_play.h"

namespace redqueen::azr {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST_F(AzrTest, SeedsEveryBufferWithBTimesSTasks) {
  SelfPlayPolicy policy;
  const auto recipe = seeded(policy);
  const Json state = recipe->state();
  EXPECT_EQ(state["deduction"].size(), 6U);
  EXPECT_EQ(state["abduction"].size(), 6U);
  EXPECT_EQ(state["induction"].size(), 6U);
  EXPECT_THAT(policy.prompts[0], HasSubstr("'Good morning'")) << "the zero triplet comes first";
  auto store = run::EventStore::open(folder_ / "seeding.db");
  EXPECT_EQ(store.value().items(kTaskItem)->size(), 18U);
}

TEST_F(AzrTest, AStepTrainsOnSixGroupsOfB) {
  SelfPlayPolicy policy;
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
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
  EXPECT_EQ(recipe->state()["deduction"].size(), 9U);
}

// Everything that the store gets is enough to show a task with its success rate.
TEST_F(AzrTest, ProposalsAndTasksBecomeItems) {
  SelfPlayPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string&) -> std::string {
    if (address.index == 1) return "def f(x):\n import random\n return 1\nf(2)";
    if (address.index == 2) return "no thanks";
    return fmt::format("def f(x):\n return x + {}\nf(1)", address.index);
  };
  settings_.table<AzrSettings>().seed_factor = 1;
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  std::map<std::string, int> fates;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind == kProposalItem) ++fates[item.fate];
    if (item.kind != kTaskItem) continue;
    EXPECT_EQ(item.fate, "sometimes");
    EXPECT_EQ(item.data["success"], 0.5);
    const auto task = code_tasks::CodeTask::read_json(item.data["task"]);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->name(), item.name);
  }
  EXPECT_EQ(fates["banned"], 2);
  EXPECT_EQ(fates["no_program"], 2);
  EXPECT_EQ(fates["valid"], 5);
}

TEST_F(AzrTest, ExtremeTasksEarnNothingAndInvalidOnesLess) {
  SelfPlayPolicy policy;
  policy.solves = [](const RandomAddress&) { return true; };
  const auto recipe = seeded(policy);
  const auto easy = recipe->step(1);
  ASSERT_TRUE(easy);
  for (const ScoredGroup& group : easy->groups) {
    EXPECT_EQ(group.rollouts[0].reward, group.role == "proposer" ? -0.5 : 1.0);
  }
  policy.proposes = [](const RandomAddress&, const std::string&) { return "def f(x):"; };
  const auto invalid = recipe->step(2);
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

// A program that draws lots for all inputs but its own: nobody is paid, nobody learns from it, and
// no buffer keeps it.
TEST_F(AzrTest, ATaskWhoseRunsDifferIsVoid) {
  settings_.table<AzrSettings>().types = {"abduction"};
  SelfPlayPolicy policy;
  const auto recipe = seeded(policy);
  policy.proposes = [](const RandomAddress& address, const std::string&) {
    return fmt::format(
        "def f(x):\n if x == {0}: return 1\n return hash(str(x))\n # return x + 0\nf({0})",
        Rng(address).integer(1'000'000, 2'000'000));
  };
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  for (const ScoredGroup& group : batch->groups) {
    if (group.role == "proposer") {
      EXPECT_EQ(group.rollouts[0].reward, -1.0);
    }
  }
  EXPECT_EQ(std::ranges::count(batch->groups, "solver", &ScoredGroup::role), 0);
  EXPECT_EQ(metric(*batch, "rejected/not_deterministic"), 3);
  EXPECT_EQ(metric(*batch, "filled_tasks/abduction"), 0);
  EXPECT_EQ(recipe->state()["abduction"].size(), 6U) << "those of the seeding";
}

// --- luck ---------------------------------------------------------------------------------------

// A proposer of tasks that nobody can reason out and half of all guesses solve; a solver that
// tosses a coin. Its pay is its guessing.
class GuessedTasks : public AzrTest {
 protected:
  double pay(bool corrected) {
    settings_.table<AzrSettings>().types = {"deduction"};
    settings_.table<AzrSettings>().chance_corrected = corrected;
    settings_.table<AzrSettings>().tasks = 16;
    settings_.table<AzrSettings>().seed_factor = 0;
    settings_.table<AzrSettings>().estimates = 8;
    SelfPlayPolicy policy;
    policy.proposes = [](const RandomAddress& address, const std::string&) {
      const std::int64_t number = Rng(address).integer(1, 1'000'000);
      return fmt::format(
          "def f(x):\n for _ in range(64): x = (x * 6364136223846793005 + {}) % 2 ** 64\n"
          " return x >> 63\nf({})",
          2 * number + 1, number + 7);
    };
    policy.answers = [](const RandomAddress& address, const std::string&) {
      return fmt::format("{}", Rng(address).integer(0, 1));
    };
    auto recipe = make(policy);
    const auto batch = recipe->step(1);
    EXPECT_TRUE(batch) << batch.error().message;
    EXPECT_EQ(metric(*batch, "valid_proposals/deduction"), 1.0);
    double sum = 0;
    int count = 0;
    for (const ScoredGroup& group : batch->groups) {
      if (group.role != "proposer") continue;
      sum += group.rollouts[0].reward;
      ++count;
    }
    return sum / count;
  }
};

TEST_F(GuessedTasks, PayAsInThePaper) { EXPECT_GT(pay(false), 0.3); }
TEST_F(GuessedTasks, PayNothingAboveChance) { EXPECT_LT(pay(true), -0.3); }

// What is solved by reasoning pays as before.
TEST_F(AzrTest, HonestTasksPayAlikeAboveChance) {
  settings_.table<AzrSettings>().chance_corrected = true;
  SelfPlayPolicy policy;
  const auto batch = seeded(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  for (const ScoredGroup& group : batch->groups) {
    if (group.role == "proposer" && group.task != "induction")
      EXPECT_NEAR(group.rollouts[0].reward, 0.5, 0.1) << group.task;
  }
}

TEST(Chance, CountsWhatGuessingDoesNotExplain) {
  EXPECT_DOUBLE_EQ(learnability_above(0.25, 8, 0), 0.75);
  EXPECT_EQ(learnability_above(0, 8, 0.1), 0);
  EXPECT_EQ(learnability_above(1, 8, 0.1), 0);
  EXPECT_EQ(learnability_above(0.5, 8, 1), 0);
  // Four of eight by coin are luck, of one in a hundred they are not.
  EXPECT_EQ(learnability_above(0.5, 8, 0.5), 0);
  EXPECT_EQ(learnability_above(0.25, 8, 0.125), 0);
  EXPECT_NEAR(learnability_above(0.5, 8, 0.01), 1 - 0.49 / 0.99, 1e-12);
  EXPECT_NEAR(learnability_above(0.875, 8, 0.5), 0.25, 1e-12);
}

// Against what can be counted: one in two, one in ten, never; and the same again for the same task.
TEST(Chance, IsEstimatedByRandomInputs) {
  const auto task = [](code_tasks::TaskType type, std::string program, std::string output) {
    return code_tasks::CodeTask{.type = type,
                                .program = std::move(program),
                                .input = "123456",
                                .output = std::move(output)};
  };
  using code_tasks::TaskType;
  code_tasks::CodeTask induction{.type = TaskType::kInduction, .program = "def f(x): return 0"};
  induction.pairs = {{"1", "0"}, {"2", "0"}, {"3", "0"}, {"4", "0"}};
  const std::vector<code_tasks::CodeTask> tasks{
      task(TaskType::kAbduction, "def f(x):\n return x % 2", "0"),
      task(TaskType::kDeduction, "def f(x):\n return x * 7919 % 10", "4"),
      task(TaskType::kAbduction, "def f(x):\n return x + 1", "123457"),
      task(TaskType::kError, "def f(x):\n return [][x]", "IndexError"), induction};
  std::vector<const code_tasks::CodeTask*> pointers;
  for (const code_tasks::CodeTask& one : tasks) pointers.push_back(&one);
  const auto limits = code_tasks::default_program_limits();
  sandbox::Sandbox& sandbox = *shared_engine().sandbox()->get().value();
  const std::vector<double> chances = guess_chances(sandbox, pointers, limits);
  EXPECT_NEAR(chances[0], 0.5, 0.25);
  EXPECT_NEAR(chances[1], 0.1, 0.15);
  EXPECT_LT(chances[2], 0.05);
  EXPECT_EQ(chances[3], 1.0);
  EXPECT_EQ(chances[4], 1.0);
  EXPECT_EQ(guess_chances(sandbox, pointers, limits), chances);
}

// However many answers hang, a task takes no more CPU than its budget.
TEST(AzrSettings, BoundTheCpuOfATask) {
  AzrSettings azr;
  for (const int estimates : {1, 8, 64}) {
    azr.estimates = estimates;
    const double each = azr.solving().limits.cpu_seconds;
    EXPECT_LE(each * estimates * code_tasks::kRunsOfAnAnswer, azr.task_cpu_seconds) << estimates;
    EXPECT_EQ(azr.validation().limits.cpu_seconds, each) << "no task is set that has no time";
  }
  azr.task_cpu_seconds = 0;
  EXPECT_EQ(azr.solving().limits.cpu_seconds, azr.cpu_seconds);
  azr.task_cpu_seconds = 1e6;
  EXPECT_EQ(azr.solving().limits.cpu_seconds, azr.cpu_seconds);
}

// --- options ------------------------------------------------------------------------------------

TEST_F(AzrTest, EstimatesMayServeTheSolver) {
  settings_.table<AzrSettings>().rollouts = 4;
  SelfPlayPolicy fresh;
  const auto one = seeded(fresh)->step(1);
  settings_.table<AzrSettings>().reuse_estimates = true;
  fresh.prompts.clear();
  SelfPlayPolicy reusing;
  auto other_recipe = make(reusing);
  ASSERT_TRUE(other_recipe);
  auto store = run::EventStore::open(folder_ / "other.db");
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
  settings_.table<AzrSettings>().train_proposer = false;
  SelfPlayPolicy policy;
  const auto batch = seeded(policy)->step(1);
  ASSERT_TRUE(batch);
  for (const ScoredGroup& group : batch->groups) EXPECT_EQ(group.role, "solver");
}

TEST_F(AzrTest, KnownTasksMayBeRefused) {
  SelfPlayPolicy policy;
  settings_.table<AzrSettings>().seed_factor = 1;
  settings_.table<AzrSettings>().reject_known = true;
  settings_.table<AzrSettings>().seed_rounds = 3;
  // Another input does not make another program.
  policy.proposes = [](const RandomAddress& address, const std::string&) {
    return fmt::format("def f(x):\n return x + 1\nf({})", Rng(address).integer(1, 1'000'000));
  };
  const auto recipe = seeded(policy);
  EXPECT_EQ(recipe->state()["deduction"].size(), 1U);
  EXPECT_EQ(recipe->state()["induction"].size(), 3U);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch);
  EXPECT_EQ(metric(*batch, "valid_proposals/deduction"), 0);
  EXPECT_EQ(metric(*batch, "rejected/known"), 6);
}

TEST_F(AzrTest, PlaysTheTypesThatItIsAskedFor) {
  settings_.table<AzrSettings>().types = {"deduction"};
  SelfPlayPolicy policy;
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->groups.size(), 6U);  // a third of those of all three
  EXPECT_EQ(recipe->state()["abduction"].size(), 0U);

  AzrSettings azr;
  azr.types = {"abduction", "abduction", "error"};
  EXPECT_EQ(azr.task_types()->size(), 2U);
  azr.types = {"induction"};
  EXPECT_THAT(azr.task_types().error().message, HasSubstr("deduction or abduction"));
  azr.types = {"reduction"};
  EXPECT_THAT(azr.task_types().error().message, HasSubstr("did you mean"));
}

TEST_F(AzrTest, ErrorTasksAreAFourthType) {
  settings_.table<AzrSettings>().error_tasks = true;
  SelfPlayPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string& prompt) {
    const std::int64_t number = Rng(address).integer(1, 1'000'000);
    if (prompt.find("new error") != std::string::npos)
      return fmt::format("def f(x):\n return x[{}]\nf([])", number);
    return fmt::format("def f(x):\n return x + {}\nf(1)", number);
  };
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(batch->groups.size(), 24U);
  EXPECT_EQ(metric(*batch, "success_rate/error"), 0.5);
}

TEST_F(AzrTest, CompositeProposalsBuildOnEarlierPrograms) {
  settings_.table<AzrSettings>().composite_share = 1.0;
  settings_.table<AzrSettings>().composite_programs = 2;
  SelfPlayPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string& prompt) {
    const std::int64_t number = Rng(address).integer(1, 1'000'000);
    std::string value = "x";
    if (prompt.find("with g_0") != std::string::npos) value = "g_0(x)";
    if (prompt.find("with g_0, g_1") != std::string::npos) value = "g_1(g_0(x))";
    return fmt::format("def f(x):\n return {} + {}\nf(1)", value, number);
  };
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(metric(*batch, "valid_proposals/deduction"), 1.0);
  int composed = 0;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind == kTaskItem && item.data["task"].value("components", 0) > 0) ++composed;
  }
  EXPECT_GE(composed, 6);
}

TEST_F(AzrTest, IntrinsicRewardsRaiseTheProposers) {
  Proposal proposal;
  proposal.reason = code_tasks::Reason::kValid;
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
  // The program of an induction task is not the proposer's choice: its distance is nobody's merit
  // or fault.
  proposal.draft.type = code_tasks::TaskType::kInduction;
  proposal.difference = 0;
  EXPECT_DOUBLE_EQ(proposer_reward(proposal, azr), 0.5 * 0.9);
  azr.aggregation = RewardAggregation::kSum;
  for (const double success : {0.0, 1.0}) {
    proposal.success = success;
    EXPECT_EQ(proposer_reward(proposal, azr), -0.5)
        << "a task that nobody learns from earns nothing";
  }
  proposal.reason = code_tasks::Reason::kRaised;
  EXPECT_EQ(proposer_reward(proposal, azr), -1.0);
}

TEST(AzrMetrics, CountTasksByTheBandOfTheirSuccess) {
  TypeOutcome outcome;
  for (const double success : {0.0, 1.0 / 3, 0.5, 2.0 / 3, 0.75, 1.0}) {
    Proposal& proposal = outcome.proposals.emplace_back();
    proposal.reason = code_tasks::Reason::kValid;
    proposal.success = success;
  }
  StepLog log;
  add_azr_metrics({outcome}, {}, log);
  RecipeBatch batch;
  std::move(log).write(batch);
  for (const auto& [band, tasks] :
       {std::pair{"never", 1}, std::pair{"up to a third", 1}, std::pair{"up to two thirds", 2},
        std::pair{"above", 1}, std::pair{"always", 1}}) {
    EXPECT_THAT(
        batch.metrics,
        testing::Contains(testing::AllOf(
            testing::Field(&run::MetricValue::name, fmt::format("tasks_by_success/{}", band)),
            testing::Field(&run::MetricValue::value, testing::DoubleEq(tasks / 6.0)))));
  }
}

TEST_F(AzrTest, PromptsKeepWithinTheirLimit) {
  settings_.table<AzrSettings>().max_prompt_bytes = 120;
  settings_.table<AzrSettings>().references = 6;
  SelfPlayPolicy policy;
  policy.proposes = [](const RandomAddress& address, const std::string&) {
    return fmt::format("def f(x):\n return x + {}\nf({})", Rng(address).integer(1, 1'000'000),
                       address.index % 2 == 0 ? "1" : "'" + std::string(100, 'a') + "' and 1");
  };
  const auto batch = seeded(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  for (const std::string& prompt : policy.prompts)
    EXPECT_LE(prompt.size(), 120 + std::string("\n<answer>").size());
}

TEST_F(AzrTest, GroupRulesAreRefused) {
  EXPECT_TRUE(azr_recipe().check(settings_, shared_engine()));
  settings_.advantage = AdvantageRule::kGroupNormalised;
  const Status status = azr_recipe().check(settings_, shared_engine());
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("trr++"));
  settings_ = self_play_settings();
  settings_.table<AzrSettings>().prompts = "no-such-prompts";
  EXPECT_FALSE(azr_recipe().check(settings_, shared_engine()));
}

TEST_F(AzrTest, SeedingStopsWhenAskedTo) {
  SelfPlayPolicy policy;
  auto recipe = make(policy);
  auto store = run::EventStore::open(folder_ / "stopped.db");
  stop_ = true;
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  EXPECT_TRUE(policy.prompts.empty());
}

TEST_F(AzrTest, APolicyThatCannotProposeIsToldAndTrainedNevertheless) {
  std::ostringstream said;
  run::Progress progress(said, run::ProgressMode::kQuiet);
  SelfPlayPolicy policy;
  policy.proposes = [](const RandomAddress&, const std::string&) { return "?"; };
  settings_.table<AzrSettings>().seed_rounds = 2;
  const auto recipe =
      make_azr({settings_, policy, shared_engine(), folder_ / "run", progress}).value();
  auto store = run::EventStore::open(folder_ / "empty.db");
  ASSERT_TRUE(recipe->prepare(*store, progress, stop_));
  EXPECT_THAT(said.str(), HasSubstr("deduction has 0 of 6 tasks after 2 rounds"));
  EXPECT_THAT(said.str(),
              HasSubstr("seeding, round 1: none of 3 proposals of deduction became a task: "
                        "3 no_program"));
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_THAT(said.str(), HasSubstr("step 1: none of 3 proposals of abduction"));
  EXPECT_EQ(std::ranges::count(batch->groups, "proposer", &ScoredGroup::role), 9);
}

TEST_F(AzrTest, StateOfAnotherShapeIsRefused) {
  SelfPlayPolicy policy;
  auto recipe = make(policy);
  EXPECT_FALSE(recipe->restore(Json::object()));
  EXPECT_FALSE(recipe->restore(Json{{"deduction", 1}}));
}

// A chart of a metric that nobody records would be empty for ever.
TEST_F(AzrTest, EveryChartDrawsRecordedMetrics) {
  settings_.table<AzrSettings>().error_tasks = true;
  SelfPlayPolicy policy;
  const auto recipe = seeded(policy);
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  std::set<std::string> recorded;
  for (const run::MetricValue& value : batch->metrics) recorded.insert(value.name);
  EXPECT_GE(azr_charts().size(), 15U);
  for (const run::ItemRecord& item : batch->items) recorded.insert(item.fate);
  for (const run::ChartRecord& chart : azr_charts()) {
    const auto draws = [&](const run::ChartSeries& series) {
      return recorded.contains(series.metric);
    };
    EXPECT_TRUE(std::ranges::any_of(chart.series, draws)) << chart.id;
  }
}

}  // namespace
}  // namespace redqueen::azr
