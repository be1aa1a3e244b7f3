// Runs of several learners, in one process and in several.
#include "redqueen/session/train_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/own_process.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/run/config.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/session/distributed/rank_service.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/testing/ask_and_answer.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The step before which rank 0 kills the other ranks; 0: never.
std::int64_t kill_ranks_at = 0;

// Processes whose parent is this one.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = read_file(entry.path() / "stat");
    std::istringstream rest(stat.substr(std::min(stat.size(), stat.rfind(')') + 1)));
    char state = 0;
    pid_t parent = 0;
    if (rest >> state >> parent && parent == ::getpid()) found.push_back(std::stoi(name));
  }
  return found;
}

class TwoLearnersRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "ask_and_answer"; }

  std::vector<LearnerSettings> learners(const TrainSettings& settings) const override {
    std::vector<LearnerSettings> learners;
    for (const char* role : {"asker", "answerer"}) {
      learners.push_back({role, settings.policy, settings.trainer});
      learners.back().policy.path += std::string("/") + role;
    }
    return learners;
  }

  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override {
    return std::make_unique<AskAndAnswer>(context, [](std::int64_t step) -> Status {
      if (step != kill_ranks_at) return {};
      for (const pid_t child : children()) ::kill(child, SIGKILL);
      return {};
    });
  }
};

const TwoLearnersRecipe kRecipe;

// Overrides no more than it must: one policy plays and learns both roles.
class MinimalRecipe final : public RecipeType {
 public:
  std::string_view name() const override { return "minimal"; }
  Expected<std::unique_ptr<Recipe>> make(const RecipeContext& context) const override {
    return std::make_unique<AskAndAnswer>(context);
  }
};

// How a rank of these tests behaves.
constexpr const char* kRankVariable = "REDQUEEN_TRAIN_RUN_TEST_RANK";

RankPlace place_of_command_line() {
  RankPlace place;
  std::istringstream words(read_file("/proc/self/cmdline"));
  for (std::string word, value; std::getline(words, word, '\0');) {
    int* const number = word == "--rank"      ? &place.rank
                        : word == "--ranks"   ? &place.size
                        : word == "--channel" ? &place.channel
                                              : nullptr;
    if (number != nullptr && std::getline(words, value, '\0')) *number = std::stoi(value);
  }
  return place;
}

// What the other processes of a run are: this binary, told to run this test.
TEST(RankProcess, DISABLED_Serves) {
  const char* variable = std::getenv(kRankVariable);
  if (variable == nullptr) GTEST_SKIP() << "started by the tests of several processes";
  const std::string behaviour = variable;
  const auto load = [&](const std::string& toml,
                        const RankPlace& place) -> Expected<std::vector<LocalLearner>> {
    if (behaviour == "fails") return failure("the disk of rank {} is gone", place.rank);
    if (behaviour == "throws") throw std::runtime_error("no more registers\nand a trace");
    if (behaviour == "dies") ::_exit(3);
    ASSIGN_OR_RETURN(auto learners, rank_loader (&kRecipe)(toml, place));
    if (behaviour == "has one learner") learners.pop_back();
    if (behaviour == "has them in another order") std::swap(learners[0], learners[1]);
    return learners;
  };
  EXPECT_TRUE(serve_rank(place_of_command_line(), load));
}

class TrainTwoLearners : public testing::Test {
 protected:
  TrainTwoLearners() {
    forget_test_shares();
    kill_ranks_at = 0;
    set_ranks("serves");
    TrainSettings settings;
    settings.model = {.vocabulary = 300,
                      .hidden_size = 32,
                      .intermediate_size = 64,
                      .layers = 1,
                      .heads = 2,
                      .key_value_heads = 1,
                      .head_dim = 16,
                      .context = 64};
    settings.run.threads = 1;
    for (const char* role : {"asker", "answerer"}) {
      ++settings.run.seed;
      const auto policy = make_policy(settings, {"1 + 1 = 2"}).value();
      EXPECT_TRUE(save_checkpoint(folder_ / role, policy->transformer(), policy->tokenizer()));
    }
    // A micro-batch holds one group of a role and not two, so that every process has the same ones,
    // and an update is a sum of two gradients, which knows no order.
    toml_ = fmt::format(R"([run]
seed = 3
steps = 4
threads = 1
checkpoint_every = 2
[policy]
path = "{}"
[sampling]
max_new_tokens = 4
[train]
learning_rate = 1e-2
micro_batch_tokens = 45
old_log_probs = "recomputed"
[evaluation]
before = false
after = false
)",
                        folder_.path().string());
  }

  void train_only(const char* role) {
    const std::string all = folder_.path().string();
    toml_.replace(toml_.find(all), all.size(), (folder_ / role).string());
  }

  // Of the ranks that are started from now on.
  static void set_ranks(const char* behaviour) { ::setenv(kRankVariable, behaviour, 1); }

  Status train_in(int processes, const std::string& name, int steps = 4, bool resume = false) {
    const run::Config config = run::Config::parse(toml_, "test").value();
    run::Settings declared(config);
    TrainRequest request{
        .toml = toml_,
        .run = folder_ / name,
        .resume = resume,
        .processes = processes,
        .recipe = recipe_,
        .rank_command = {"session_test", "--gtest_also_run_disabled_tests",
                         "--gtest_filter=RankProcess.DISABLED_Serves", "--gtest_brief=1"}};
    request.settings.declare(declared, recipes());
    RETURN_IF_ERROR(declared.finish());
    request.settings.run.steps = steps;
    return train(shared_engine(), request, progress_, stop_);
  }

  // Of a run of two processes.
  std::string failure_of_ranks_that(const char* behaviour) {
    set_ranks(behaviour);
    const Status done = train_in(2, behaviour);
    EXPECT_FALSE(fs::exists(folder_ / behaviour)) << "nothing has begun";
    return done ? "nothing failed" : done.error().message;
  }

  std::string weights(const std::string& name, const std::string& role) {
    return read_file(folder_ / name / role / "policy" / "model.safetensors");
  }

  TestFolder folder_;
  const RecipeType* recipe_ = &kRecipe;
  std::string toml_;
  std::ostringstream said_;
  run::Progress progress_{said_, run::ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
};

TEST_F(TrainTwoLearners, AnyNumberOfProcessesMakesTheSameBytes) {
  for (const int processes : {1, 2, 3}) {
    const Status done = train_in(processes, std::to_string(processes));
    ASSERT_TRUE(done) << done.error().message;
  }
  auto alone = run::EventStore::open_to_read(folder_ / "1" / "run.db").value();
  for (const std::string role : {"asker", "answerer"}) {
    const std::string expected = weights("1", role);
    ASSERT_FALSE(expected.empty());
    EXPECT_NE(expected, read_file(folder_ / role / "model.safetensors")) << "it learns nothing";
    for (const char* name : {"2", "3"}) {
      EXPECT_EQ(weights(name, role), expected) << role << " of " << name << " processes";
      auto store = run::EventStore::open_to_read(folder_ / name / "run.db").value();
      for (const char* metric : {"loss/", "gradient_norm/", "trained_tokens/", "turns/"}) {
        const auto points = alone.metric(metric + role).value();
        ASSERT_EQ(points.size(), 4U) << metric << role;
        EXPECT_EQ(store.metric(metric + role).value(), points) << metric << role << " of " << name;
      }
    }
  }
  EXPECT_NE(weights("1", "asker"), weights("1", "answerer"));
}

TEST_F(TrainTwoLearners, ARunGoesOnInAnotherNumberOfProcesses) {
  ASSERT_TRUE(train_in(1, "whole"));
  const Status first = train_in(3, "parts", 2);
  ASSERT_TRUE(first) << first.error().message;
  const Status second = train_in(2, "parts", 4, true);
  ASSERT_TRUE(second) << second.error().message;
  for (const char* role : {"asker", "answerer"}) {
    ASSERT_FALSE(weights("parts", role).empty());
    EXPECT_EQ(weights("parts", role), weights("whole", role)) << role;
  }
}

TEST_F(TrainTwoLearners, AKilledRankEndsTheRunWithTheLastStepSaved) {
  kill_ranks_at = 2;
  const Status done = train_in(2, "run");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message,
              AllOf(HasSubstr("rank 1 of 2"), HasSubstr("was killed by signal 9"),
                    HasSubstr("Saved is step 1")));
  kill_ranks_at = 0;
  const Status resumed = train_in(2, "run", 4, true);
  ASSERT_TRUE(resumed) << resumed.error().message;
  ASSERT_TRUE(train_in(1, "whole"));
  for (const char* role : {"asker", "answerer"})
    EXPECT_EQ(weights("run", role), weights("whole", role)) << role;
}

// It has no check, no learners, no calls and no charts of its own.
TEST_F(TrainTwoLearners, ARecipeNeedsNoMoreThanANameAndAWayToMakeIt) {
  const MinimalRecipe minimal;
  recipe_ = &minimal;
  train_only("asker");
  const Status done = train_in(1, "run", 1);
  ASSERT_TRUE(done) << done.error().message;
  const std::string learned = read_file(folder_ / "run" / "policy" / "model.safetensors");
  ASSERT_FALSE(learned.empty());
  EXPECT_NE(learned, read_file(folder_ / "asker" / "model.safetensors"));
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db").value();
  EXPECT_EQ(store.metric("loss").value().size(), 1U);
  EXPECT_EQ(store.charts().value(), run::charts_of_run());
}

TEST_F(TrainTwoLearners, ARankThatCannotLoadTellsWhy) {
  EXPECT_EQ(failure_of_ranks_that("fails"), "rank 1 of 2: the disk of rank 1 is gone");
  EXPECT_EQ(failure_of_ranks_that("throws"), "rank 1 of 2: no more registers");
  EXPECT_THAT(failure_of_ranks_that("dies"),
              AllOf(HasSubstr("rank 1 of 2"), HasSubstr("ended with code 3")));
}

TEST_F(TrainTwoLearners, ARankWithOtherLearnersIsAnError) {
  const std::string fewer = failure_of_ranks_that("has one learner");
  EXPECT_THAT(fewer, HasSubstr("rank 1 of 2 has other learners than rank 0: asker of"));
  EXPECT_THAT(fewer.substr(0, fewer.find("instead of")), Not(HasSubstr("answerer")));
  EXPECT_THAT(failure_of_ranks_that("has them in another order"),
              HasSubstr("other learners than rank 0: answerer of"));
}

}  // namespace
}  // namespace redqueen
