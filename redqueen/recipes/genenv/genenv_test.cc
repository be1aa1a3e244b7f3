#include "redqueen/recipes/genenv/genenv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "redqueen/policy/testing/server.h"
#include "redqueen/recipes/genenv/genenv_charts.h"
#include "redqueen/recipes/genenv/genenv_recipe.h"
#include "redqueen/recipes/genenv/genenv_records.h"
#include "redqueen/recipes/genenv/task_prompts.h"
#include "redqueen/recipes/genenv/testing/two_players.h"

namespace redqueen::genenv {
namespace {

using ::testing::HasSubstr;

std::string level_text(int level) {
  return fmt::format("{{\"environment\": \"Echo\", \"level\": {}}}", level);
}

std::vector<ScoredGroup> groups_of(const RecipeBatch& batch, std::string_view role) {
  std::vector<ScoredGroup> groups;
  for (const ScoredGroup& group : batch.groups) {
    if (group.role == role) groups.push_back(group);
  }
  return groups;
}

// --- a step -------------------------------------------------------------------------------------

TEST_F(GenEnvTest, AStepAsksFreshOldAndBaseTasksInTheirShares) {
  TwoPlayers policy;
  const auto recipe = make(policy);
  const auto first = recipe->step(1);
  ASSERT_TRUE(first) << first.error().message;
  // 12 fresh ones are half of all; the pool is empty yet.
  EXPECT_EQ(groups_of(*first, "agent").size(), 12U + 6U);
  recipe->end_step();
  const auto second = recipe->step(2);
  ASSERT_TRUE(second) << second.error().message;
  std::map<std::string, int> origins;
  for (const run::ItemRecord& item : second->items) {
    if (item.kind == kTaskItem) ++origins[item.data["origin"].get<std::string>()];
  }
  EXPECT_EQ(origins, (std::map<std::string, int>{{"fresh", 12}, {"old", 6}, {"base", 6}}));
  for (const ScoredGroup& group : groups_of(*second, "agent")) {
    EXPECT_EQ(group.rollouts.size(), 4U);
    EXPECT_EQ(group.rule, settings_.advantage);
  }
}

// Equation 2 and the weights, against what the script solves: levels 0 and 1 always, 2 half of the
// time, 3 and 4 never.
TEST_F(GenEnvTest, GenerationsAreWeightedByWhatTheAgentSolved) {
  genenv_.credit = Credit::kTask;
  genenv_.sharpness = 8;
  genenv_.temperature = 2;
  TwoPlayers policy;
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  const double far = std::exp(2 * std::exp(-8 * 0.25));
  const double near = std::exp(2.0);
  double total = 0;
  int count = 0;
  std::map<bool, double> weight_of;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind != kGenerationItem) continue;
    const bool middle = item.data["description"]["level"] == 2;
    EXPECT_EQ(item.data["success"].get<double>() == 0.5, middle);
    EXPECT_NEAR(item.data["reward"].get<double>(), middle ? 1 : std::exp(-2.0), 1e-12);
    weight_of[middle] = item.data["weight"].get<double>();
    total += item.data["weight"].get<double>();
    ++count;
  }
  ASSERT_EQ(weight_of.size(), 2U) << "the seed of the test draws both kinds";
  EXPECT_NEAR(weight_of[true] / weight_of[false], near / far, 1e-9);
  EXPECT_NEAR(total, count, 1e-9);
  double trained = 0;
  for (const ScoredGroup& group : groups_of(*batch, "environment")) {
    EXPECT_EQ(group.rule, AdvantageRule::kWeight);
    for (const ScoredRollout& rollout : group.rollouts) trained += rollout.reward;
  }
  EXPECT_NEAR(trained, total, 1e-9);
}

TEST_F(GenEnvTest, AnswersThatNeverCameAreNoAttempts) {
  genenv_.credit = Credit::kTask;
  TwoPlayers policy;
  policy.solves = [](std::size_t, const RandomAddress&) { return true; };
  policy.loses = [](const RandomAddress& address) { return address.salt == 3; };
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  int generations = 0;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind != kGenerationItem) continue;
    ++generations;
    EXPECT_EQ(item.data["n"], 3) << "of four";
    EXPECT_EQ(item.data["success"], 1.0);
  }
  EXPECT_EQ(generations, 12);
}

// Tasks of a description are solved always or never, and yet the description is one that is solved
// half of the time.
TEST_F(GenEnvTest, ADescriptionIsCreditedWithAllItsTasksOfTheStep) {
  genenv_.credit = Credit::kDescription;
  genenv_.sharpness = 8;
  TwoPlayers policy;
  policy.writes = [](const std::string&, const RandomAddress& address) {
    return level_text(address.salt == 0 ? 4 : 1);
  };
  // Level 4 is solved never; of level 1 every other task is solved always, the others never.
  policy.solves = [](std::size_t digits, const RandomAddress& address) {
    return digits <= 2 && address.index % 2 == 0;
  };
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  std::map<int, Tally> tallies;
  std::map<int, std::set<double>> told;
  std::map<int, std::set<int>> solved;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind != kGenerationItem) continue;
    const int level = item.data["description"]["level"].get<int>();
    tallies[level].add({item.data["n"].get<std::int64_t>(), item.data["k"].get<std::int64_t>()});
    told[level].insert(item.data["success"].get<double>());
    solved[level].insert(item.data["k"].get<int>());
    EXPECT_NEAR(item.data["reward"].get<double>(),
                environment_reward(item.data["success"].get<double>(), 0.5, 8), 1e-12);
  }
  EXPECT_EQ(told[4], std::set<double>{0});
  EXPECT_EQ(solved[1], (std::set<int>{0, 4})) << "the seed of the test draws both kinds";
  EXPECT_EQ(told[1], std::set<double>{tallies[1].rate()});
  EXPECT_EQ(tallies[1].attempts, 8 * 4);
}

TEST_F(GenEnvTest, TheFilterAndTheBatchDecideInThePapersPreset) {
  apply_preset(Preset::kPaper, genenv_);
  TwoPlayers policy;
  // Of three variations one is never solved, one half of the time, one always: p̂ of the batch is
  // 1/2, although no other variation is near it.
  policy.writes = [](const std::string&, const RandomAddress& address) {
    constexpr int kLevels[] = {0, 2, 4};
    return level_text(address.index == 0 ? kLevels[address.salt] : 4);
  };
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  const auto trained = groups_of(*batch, "environment");
  ASSERT_EQ(trained.size(), 1U) << "the other batches are never solved: the filter drops them";
  EXPECT_EQ(trained[0].rollouts.size(), 3U);
  for (const ScoredRollout& rollout : trained[0].rollouts) EXPECT_DOUBLE_EQ(rollout.reward, 1);
  EXPECT_DOUBLE_EQ(metric(*batch, "environment/batches_in_band"), 0.25);
}

TEST_F(GenEnvTest, RefusedGenerationsAreCountedAndTeachNothing) {
  TwoPlayers policy;
  policy.writes = [](const std::string&, const RandomAddress& address) -> std::string {
    if (address.salt == 0) return "no";
    if (address.salt == 1) return level_text(5);
    return level_text(2);
  };
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(metric(*batch, "refused/no_object"), 4);
  EXPECT_EQ(metric(*batch, "refused/bad_level"), 4);
  EXPECT_DOUBLE_EQ(metric(*batch, "generations/valid"), 1.0 / 3);
  std::map<std::string, int> fates;
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind == kGenerationItem) ++fates[item.fate];
  }
  EXPECT_EQ(fates, (std::map<std::string, int>{{"no_object", 4}, {"bad_level", 4}, {"valid", 4}}));
  for (const ScoredGroup& group : groups_of(*batch, "environment"))
    EXPECT_EQ(group.rollouts.size(), 1U);
}

TEST_F(GenEnvTest, KnownProblemsAreNotWrittenAgain) {
  genenv_.refuse_known = true;
  genenv_.exploration = 0;
  TwoPlayers policy;
  policy.writes = [](const std::string&, const RandomAddress&) { return level_text(0); };
  const auto recipe = make(policy);
  const auto first = recipe->step(1);
  const auto second = recipe->step(2);
  ASSERT_TRUE(first && second);
  std::set<std::string> numbers;
  for (const RecipeBatch* batch : {&*first, &*second}) {
    for (const run::ItemRecord& item : batch->items) {
      if (item.kind != kTaskItem || item.data["origin"] != "fresh") continue;
      EXPECT_TRUE(numbers.insert(item.data["prompt"].get<std::string>()).second);
    }
  }
  EXPECT_LE(numbers.size(), 9U) << "there are nine numbers of one digit";
  EXPECT_GE(numbers.size(), 5U);
  EXPECT_GT(metric(*second, "refused/known"), 0);
}

// --- conditioning and exploration ---------------------------------------------------------------

TEST_F(GenEnvTest, TheEnvironmentPolicyIsToldHowTheAgentFares) {
  TwoPlayers policy;
  const auto recipe = make(policy);
  ASSERT_TRUE(recipe->step(1));
  recipe->end_step();
  for (const std::string& prompt : policy.prompts) {
    if (!prompt.starts_with("task like") || prompt.find("solved") == std::string::npos) continue;
    EXPECT_THAT(prompt, HasSubstr("0:- 1:- 2:- 3:- 4:-")) << "nothing is measured yet";
  }
  policy.prompts.clear();
  ASSERT_TRUE(recipe->step(2));
  EXPECT_THAT(policy.prompts[0], HasSubstr("solved 0:9 1:9 2:5 3:0 4:0"));
}

// What was written for a named level is trained behind the prompt that names none.
TEST_F(GenEnvTest, ExplorationIsTrainedBehindThePromptWithoutALevel) {
  genenv_.exploration = 1;
  TwoPlayers policy;
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(metric(*batch, "generations/explored"), 1);
  EXPECT_TRUE(std::isnan(metric(*batch, "difficulty/chosen_level"))) << "it chose none";
  int told = 0;
  for (const std::string& prompt : policy.prompts)
    told += prompt.find("wanted") != std::string::npos;
  EXPECT_EQ(told, 12);
  const auto trained = groups_of(*batch, "environment");
  ASSERT_EQ(trained.size(), 4U);
  for (const ScoredGroup& group : trained) {
    const std::string prompt(group.prompt.begin(), group.prompt.end());
    EXPECT_THAT(prompt, HasSubstr("solved"));
    EXPECT_EQ(prompt.find("wanted"), std::string::npos);
  }
}

TEST_F(GenEnvTest, OldPairsMayJoinTheRegression) {
  genenv_.old_generations = 0.5;
  TwoPlayers policy;
  const auto recipe = make(policy);
  const auto first = recipe->step(1);
  const auto second = recipe->step(2);
  ASSERT_TRUE(first && second);
  const auto rollouts = [](const RecipeBatch& batch) {
    std::size_t count = 0;
    double sum = 0;
    for (const ScoredGroup& group : groups_of(batch, "environment")) {
      count += group.rollouts.size();
      for (const ScoredRollout& rollout : group.rollouts) sum += rollout.reward;
    }
    EXPECT_NEAR(sum, static_cast<double>(count), 1e-9) << "weights have the mean 1";
    return count;
  };
  EXPECT_EQ(rollouts(*first), 12U);
  EXPECT_EQ(rollouts(*second), 24U);
  EXPECT_EQ(metric(*second, "pool/env"), 24);
}

// --- baselines ----------------------------------------------------------------------------------

TEST_F(GenEnvTest, RandomWritesAndDoesNotLearn) {
  genenv_.train_environment = false;
  TwoPlayers policy;
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch);
  EXPECT_TRUE(groups_of(*batch, "environment").empty());
  EXPECT_EQ(groups_of(*batch, "agent").size(), 18U);
  EXPECT_EQ(metric(*batch, "generations/valid"), 1);
}

TEST_F(GenEnvTest, StaticWritesOnceBeforeTraining) {
  genenv_.tasks = TaskSource::kStatic;
  genenv_.static_seeds = 70;
  genenv_.static_variations = 2;
  TwoPlayers policy;
  const auto recipe = make(policy);
  auto store = run::EventStore::open(folder_ / "static.db");
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  EXPECT_EQ(recipe->state()["fixed"].size(), 140U);
  EXPECT_EQ(store->items(kGenerationItem)->size(), 140U);
  // A process that was killed before its first checkpoint makes the same again.
  const auto other = make(policy);
  ASSERT_TRUE(other->prepare(*store, progress_, stop_));
  EXPECT_EQ(store->items(kGenerationItem)->size(), 140U);
  EXPECT_EQ(other->state(), recipe->state());
  policy.prompts.clear();
  const auto batch = recipe->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  for (const std::string& prompt : policy.prompts) EXPECT_FALSE(prompt.starts_with("task like"));
  EXPECT_EQ(groups_of(*batch, "agent").size(), 18U);
}

TEST_F(GenEnvTest, AFileOfDescriptionsIsJudgedLikeGenerations) {
  std::ofstream(folder_ / "tasks.jsonl")
      << level_text(1) << "\n{\"description\": " << level_text(2) << ", \"step\": 9}\n\nnothing\n"
      << level_text(99) << "\n";
  genenv_.file = folder_ / "tasks.jsonl";
  TwoPlayers policy;
  const auto recipe = make(policy);
  auto store = run::EventStore::open(folder_ / "file.db");
  ASSERT_TRUE(recipe->prepare(*store, progress_, stop_));
  EXPECT_EQ(recipe->state()["fixed"].size(), 2U);
  std::vector<std::string> fates;
  const auto items = store->items(kGenerationItem);
  for (const run::ItemPoint& point : *items) fates.push_back(point.item.fate);
  EXPECT_EQ(fates, (std::vector<std::string>{"valid", "valid", "no_object", "bad_level"}));

  std::ofstream(folder_ / "tasks.jsonl") << "nothing\n";
  const auto useless = make(policy)->prepare(*store, progress_, stop_);
  ASSERT_FALSE(useless);
  EXPECT_THAT(useless.error().message, HasSubstr("not one of 1 descriptions"));
}

// --- state --------------------------------------------------------------------------------------

TEST_F(GenEnvTest, GoesOnFromItsStateAsIfItHadNeverStopped) {
  genenv_.refuse_known = true;
  genenv_.old_generations = 0.3;
  TwoPlayers policy;
  const auto whole = make(policy);
  for (int step = 1; step <= 2; ++step) {
    ASSERT_TRUE(whole->step(step));
    whole->end_step();
  }
  const auto resumed = make(policy);
  ASSERT_TRUE(resumed->restore(parse_json(dump_json(whole->state())).value()));
  const auto one = whole->step(3);
  const auto other = resumed->step(3);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->items, other->items);
  EXPECT_EQ(dump_json(whole->state()), dump_json(resumed->state()));
  ASSERT_EQ(one->groups.size(), other->groups.size());
  for (std::size_t i = 0; i < one->groups.size(); ++i) {
    EXPECT_EQ(one->groups[i].prompt, other->groups[i].prompt);
    ASSERT_EQ(one->groups[i].rollouts.size(), other->groups[i].rollouts.size());
    for (std::size_t j = 0; j < one->groups[i].rollouts.size(); ++j)
      EXPECT_EQ(one->groups[i].rollouts[j].reward, other->groups[i].rollouts[j].reward);
  }
  for (const char* text : {"{}", "3", R"({"success": {}, "train": [], "env": [], "fixed": 1})",
                           R"({"success": 1, "train": [], "env": [], "fixed": []})"})
    EXPECT_FALSE(resumed->restore(Json::parse(text))) << text;
}

TEST_F(GenEnvTest, DoesTheSameOnAnyNumberOfThreads) {
  genenv_.refuse_known = true;
  TwoPlayers policy;
  const auto one = make(policy)->step(1);
  settings_.run.threads = 4;
  const auto four = make(policy)->step(1);
  ASSERT_TRUE(one && four);
  EXPECT_EQ(one->items, four->items);
}

// --- roles --------------------------------------------------------------------------------------

TEST_F(GenEnvTest, TheLearnersAreTheRolesThatHaveWeightsHere) {
  const auto roles = [&] {
    std::vector<std::string> roles;
    for (const LearnerSettings& learner : genenv_learners(settings_)) roles.push_back(learner.role);
    return roles;
  };
  using Roles = std::vector<std::string>;
  EXPECT_EQ(roles(), (Roles{"agent", "environment"}));
  genenv_.environment.policy = "openai:http://127.0.0.1:1/v1";
  EXPECT_EQ(roles(), Roles{"agent"});
  genenv_.environment.policy = "my/environment";
  settings_.policy.path = "openai:http://127.0.0.1:1/v1";
  const auto learners = genenv_learners(settings_);
  ASSERT_EQ(learners.size(), 1U);
  EXPECT_EQ(learners[0].role, "environment");
  EXPECT_EQ(learners[0].policy.path, "my/environment");
  EXPECT_EQ(learners[0].trainer.reference, "my/environment") << "the anchor is what it began as";
  EXPECT_EQ(learners[0].trainer.schedule.peak, genenv_.environment.learning_rate);
  genenv_.two_policies = false;
  EXPECT_EQ(roles(), Roles{""});
}

TEST_F(GenEnvTest, RefusesSettingsThatMakeNoSense) {
  settings_.suite = "azr/deduction";  // these tests have no native environments
  const auto fault = [&] {
    const Status checked = check_genenv(settings_, shared_engine());
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(fault(), "");
  genenv_.tasks = TaskSource::kFile;
  EXPECT_THAT(fault(), HasSubstr("name a file of descriptions"));
  genenv_.file = "/no/such/file.jsonl";
  EXPECT_THAT(fault(), HasSubstr("/no/such/file.jsonl"));
  genenv_.tasks = TaskSource::kStatic;
  EXPECT_THAT(fault(), HasSubstr("two sources of tasks"));
  genenv_.tasks = TaskSource::kPolicy;
  EXPECT_THAT(fault(), HasSubstr("/no/such/file.jsonl")) << "the name of a file is enough";
  genenv_.file.clear();
  genenv_.base_share = genenv_.old_share = 0.5;
  EXPECT_THAT(fault(), HasSubstr("leave 0 % for fresh tasks"));
  genenv_.base_share = genenv_.old_share = 0.25;
  settings_.policy.path = "openai:http://127.0.0.1:1/v1";
  EXPECT_THAT(fault(), HasSubstr("nothing to train"));
  genenv_.environment.policy = "my/environment";
  EXPECT_THAT(fault(), HasSubstr("redqueen eval"));
  settings_.evaluation.before = settings_.evaluation.after = false;
  EXPECT_EQ(fault(), "");
  genenv_.two_policies = false;
  EXPECT_THAT(fault(), HasSubstr("one policy plays both roles"));
}

// The endpoint writes, the agent of this process learns: its groups are the only ones.
TEST_F(GenEnvTest, AnEnvironmentPolicyBehindAnEndpointIsAskedAndNotTrained) {
  const TestServer server("redqueen/recipes/genenv/testdata/task_server.py");
  genenv_.environment.policy = "openai:" + server.url();
  settings_.endpoint.model = "scripted";
  settings_.endpoint.attempts = 1;
  std::filesystem::create_directories(folder_ / "run");
  TwoPlayers policy;
  const auto recipe = try_make(policy);
  ASSERT_TRUE(recipe) << recipe.error().message;
  const auto batch = (*recipe)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_EQ(metric(*batch, "generations/valid"), 1);
  EXPECT_TRUE(groups_of(*batch, "environment").empty());
  EXPECT_EQ(groups_of(*batch, "agent").size(), 18U);
  for (const std::string& prompt : policy.prompts) EXPECT_FALSE(prompt.starts_with("task like"));
}

TEST_F(GenEnvTest, AnAgentBehindAnEndpointIsAskedAndNotTrained) {
  const TestServer server("redqueen/recipes/genenv/testdata/task_server.py");
  settings_.policy.path = "openai:" + server.url();
  settings_.policy.prompt_format = "plain";
  settings_.endpoint.model = "scripted";
  settings_.endpoint.attempts = 1;
  std::filesystem::create_directories(folder_ / "run");
  genenv_.environment.policy = "my/environment";
  TwoPlayers policy;
  const auto recipe = try_make(policy);
  ASSERT_TRUE(recipe) << recipe.error().message;
  const auto batch = (*recipe)->step(1);
  ASSERT_TRUE(batch) << batch.error().message;
  EXPECT_TRUE(groups_of(*batch, "agent").empty());
  EXPECT_FALSE(groups_of(*batch, "environment").empty());
  EXPECT_EQ(metric(*batch, "solved"), 1) << "the server repeats every number";
}

// --- what is told -------------------------------------------------------------------------------

TEST_F(GenEnvTest, EveryChartOfMetricsHasWhatItDraws) {
  TwoPlayers policy;
  const auto recipe = make(policy);
  std::set<std::string> names;
  for (int step = 1; step <= 2; ++step) {
    const auto batch = recipe->step(step);
    ASSERT_TRUE(batch);
    for (const run::MetricValue& value : batch->metrics) names.insert(value.name);
  }
  for (const run::ChartRecord& chart : genenv_charts()) {
    if (chart.kind != run::chart_kind::kLines || chart.id == "kl_of_roles") continue;
    for (const run::ChartSeries& series : chart.series)
      EXPECT_TRUE(names.contains(series.metric)) << series.metric;
  }
}

TEST_F(GenEnvTest, TracesOfTheRightFormAreKeptWithTheirTasks) {
  TwoPlayers policy;
  const auto batch = make(policy)->step(1);
  ASSERT_TRUE(batch);
  for (const run::ItemRecord& item : batch->items) {
    if (item.kind != kTaskItem) continue;
    EXPECT_EQ(item.data["traces"].size(), 4U);
    int solved = 0;
    for (const Json& trace : item.data["traces"]) solved += trace["solved"].get<bool>() ? 1 : 0;
    EXPECT_EQ(solved, item.data["successes"].get<int>());
    EXPECT_EQ(item.fate, kFates[solved == 0 ? 0 : solved == 4 ? 2 : 1]);
  }
}

// --- the warm start -----------------------------------------------------------------------------

TEST_F(GenEnvTest, TheCorpusTeachesTheFormAndNoPreference) {
  const auto prompts = TaskPrompts::load(genenv_, shared_engine().resources());
  ASSERT_TRUE(prompts) << prompts.error().message;
  const TaskBuilder builder({&kEcho}, {.max_level = 4}, PromptFormat::parse("terse").value());
  const PromptFormat bare = PromptFormat::parse("bare").value();
  const auto corpus = task_corpus(*prompts, builder, bare, {.pairs = 2000});
  ASSERT_TRUE(corpus) << corpus.error().message;
  std::map<int, int> levels;
  int told = 0;
  for (const TextPair& pair : *corpus) {
    const auto description = read_description(pair.target);
    ASSERT_TRUE(description);
    if (const std::size_t at = pair.prompt.find("wanted "); at != std::string::npos) {
      ++told;
      EXPECT_EQ(std::atoi(pair.prompt.c_str() + at + 7), *description->level);
    } else {
      ++levels[*description->level];
    }
  }
  EXPECT_NEAR(told, 1000, 100);
  ASSERT_EQ(levels.size(), 5U);
  for (const auto& [level, count] : levels) EXPECT_NEAR(count, 200, 60) << level;
  // Disjoint ranges share nothing; the same range is the same.
  const auto rest = task_corpus(*prompts, builder, bare, {.pairs = 1000, .first = 1000});
  EXPECT_EQ((*rest)[0].prompt + (*rest)[0].target, (*corpus)[1000].prompt + (*corpus)[1000].target);
}

// The prompts that ship name nothing that is not there.
TEST_F(GenEnvTest, ThePromptsForLargePoliciesCanBeFilled) {
  const auto prompts = TaskPrompts::load(GenEnvSettings(), shared_engine().resources());
  ASSERT_TRUE(prompts) << prompts.error().message;
  const TaskBuilder builder({&kEcho}, {.max_level = 4}, PromptFormat::parse("terse").value());
  const auto seed = builder.build({.environment = "Echo", .level = 1}, {});
  ASSERT_TRUE(seed);
  MeasuredSuccess success(1);
  success.add("Echo", 0, {.attempts = 4, .successes = 3});
  const auto text = prompts->write(*seed, builder, success);
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_THAT(*text, HasSubstr("0: 75 %, 1: ?"));
  EXPECT_THAT(*text, HasSubstr(R"({"environment":"Echo","level":1})"));
  EXPECT_THAT(*text, HasSubstr("Repeat "));
  const auto told = prompts->write(*seed, builder, success, 3);
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_THAT(*told, HasSubstr("at level 3"));
}

}  // namespace
}  // namespace redqueen::genenv
