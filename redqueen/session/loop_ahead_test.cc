// The loop where the next batch is drawn while this one is learnt from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/session/loop.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kSteps = 6;
constexpr std::uint64_t kFirstWeights = 1;
constexpr std::uint64_t kFirstHistory = 7;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return Rng({.seed = a, .purpose = b}).bits();
}

// Two threads come together here, once for every number.
class Meeting {
 public:
  // False: the other did not come within a minute.
  bool attend(std::int64_t number) {
    std::unique_lock lock(mutex_);
    ++present_[number];
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return present_[number] == 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::int64_t, int> present_;  // guarded by mutex_
};

// Its weights are a number that every token it learnt from has changed.
class MixingTrainer final : public Trainer {
 public:
  std::function<Status(std::int64_t step)> before_step = [](std::int64_t) { return Status(); };

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override {
    RETURN_IF_ERROR(before_step(steps_ + 1));
    for (const Token token : groups[0].rollouts[0].completion.tokens)
      weights_ = mixed(weights_, static_cast<std::uint64_t>(token));
    return StepReport{.step = ++steps_, .groups = groups.size()};
  }
  std::int64_t steps() const override { return steps_; }
  std::uint64_t weights() const { return weights_; }
  Status save(const fs::path& folder) const override {
    fs::create_directories(folder);
    write_file(folder / "state", fmt::format("{} {}", steps_, weights_));
    return {};
  }
  Status load(const fs::path& folder) override {
    std::istringstream(read_file(folder / "state")) >> steps_ >> weights_;
    return {};
  }

 private:
  std::int64_t steps_ = 0;
  std::uint64_t weights_ = kFirstWeights;
};

// What it draws follows from the weights, the step and all that it drew before. The weights are
// those of the trainer, which another thread may be changing, or those that are held.
class MixingRecipe final : public Recipe {
 public:
  explicit MixingRecipe(const MixingTrainer& trainer) : trainer_(trainer) {}

  std::function<Status(std::int64_t step)> before_step = [](std::int64_t) { return Status(); };
  std::vector<std::string> calls;

  std::string_view name() const override { return "mixing"; }
  Expected<RecipeBatch> step(std::int64_t step) override {
    calls.push_back(fmt::format("step {}", step));
    history_ = mixed(history_, static_cast<std::uint64_t>(step));  // a failure leaves its trace
    RETURN_IF_ERROR(before_step(step));
    const auto [weights, learnt] = held_ ? *held_ : now();
    history_ = mixed(history_, weights);
    RecipeBatch batch;
    ScoredGroup& group = batch.groups.emplace_back();
    group.prompt = {1};
    group.rollouts.push_back(
        {.completion = {.tokens = {static_cast<Token>(history_ % 1000)}, .log_probs = {-1}}});
    batch.metrics = {{"drawn_by_step", static_cast<double>(learnt)}};
    batch.rollouts = {{.response = std::to_string(history_)}};
    batch.items = {{.kind = "draw", .name = std::to_string(history_), .data = Json::object()}};
    batch.missing.asked = 1;
    return batch;
  }
  void end_step() override {
    calls.emplace_back("end");
    ++ended_;
  }
  std::vector<run::CurriculumState> curriculum() const override {
    return {{.environment = "x", .upper_level = ended_}};
  }
  Json state() const override { return {history_, ended_}; }
  Status restore(const Json& state) override {
    state.at(0).get_to(history_);
    state.at(1).get_to(ended_);
    return {};
  }

  SamplingAhead ahead() {
    return {.hold_weights = [this]() -> Status {
              held_ = now();
              return {};
            },
            .release_weights = [this] { held_.reset(); }};
  }
  bool holds_weights() const { return held_.has_value(); }

 private:
  using Weights = std::pair<std::uint64_t, std::int64_t>;  // and how many steps they learnt
  Weights now() const { return {trainer_.weights(), trainer_.steps()}; }

  const MixingTrainer& trainer_;
  std::optional<Weights> held_;
  std::uint64_t history_ = kFirstHistory;
  int ended_ = 0;
};

// The weights of a MixingTrainer after a run whose batches were drawn by weights that had learnt so
// many steps.
std::uint64_t weights_after(const std::vector<double>& drawn_by) {
  std::vector<std::uint64_t> weights{kFirstWeights};
  std::uint64_t history = kFirstHistory;
  for (std::size_t k = 1; k <= drawn_by.size(); ++k) {
    history = mixed(mixed(history, k), weights.at(static_cast<std::size_t>(drawn_by[k - 1])));
    weights.push_back(mixed(weights.back(), history % 1000));
  }
  return weights.back();
}

// What a run left behind, less its timings.
struct Remains {
  std::uint64_t weights = 0;
  std::map<std::string, std::vector<run::MetricPoint>> metrics;
  std::vector<run::ItemPoint> items;
  std::vector<run::CurriculumPoint> curriculum;
  std::vector<run::RolloutRecord> rollouts;
  bool operator==(const Remains&) const = default;
};

class LoopAhead : public testing::Test {
 protected:
  struct Killed {};

  // One process, from the newest checkpoint on. `prepare` may give its parts hooks.
  using Prepare = std::function<void(MixingTrainer& trainer, MixingRecipe& recipe)>;
  Expected<LoopOutcome> process(const std::string& name, const Prepare& prepare = {}) {
    const fs::path path = folder_ / name;
    auto directory =
        fs::exists(path) ? run::RunDirectory::open(path) : run::RunDirectory::create(path, "");
    auto store = run::EventStore::open(directory->database_path());
    MixingTrainer trainer;
    MixingRecipe recipe(trainer);
    if (prepare) prepare(trainer, recipe);
    stop_ = false;
    const auto save_policy = [](const fs::path&, const fs::path&) -> Status { return {}; };
    LoopParts parts{*directory, *store, {{"", trainer, save_policy}}, recipe, progress_, stop_};
    parts.after_step = [&](std::int64_t) -> Status {
      EXPECT_FALSE(recipe.holds_weights()) << "an evaluation asks the newest policy";
      return {};
    };
    if (is_ahead_) parts.ahead = recipe.ahead();
    if (hold_) parts.ahead->hold_weights = hold_;
    ASSIGN_OR_RETURN(LoopStart start, resume(parts));
    resumed_from_ = start.done;
    auto outcome = run_loop(parts, {.steps = kSteps, .checkpoint_every = 2, .keep_checkpoints = 2},
                            std::move(start));
    calls_ = recipe.calls;
    weights_ = trainer.weights();
    return outcome;
  }

  run::EventStore store_of(const std::string& name) const {
    return run::EventStore::open_to_read(folder_ / name / "run.db").value();
  }

  Remains remains(const std::string& name) const {
    auto store = store_of(name);
    Remains remains{.weights = weights_};
    const auto names = store.metric_names().value();
    for (const std::string& metric : names) {
      const bool is_timing =
          metric.find("seconds") != std::string::npos || metric == run::metric::kTokensPerSecond;
      if (!is_timing) remains.metrics[metric] = store.metric(metric).value();
    }
    remains.items = store.items("draw").value();
    remains.curriculum = store.curriculum().value();
    for (std::int64_t step = 1; step <= kSteps; ++step)
      std::ranges::copy(store.rollouts(step).value(), std::back_inserter(remains.rollouts));
    return remains;
  }

  // How many steps the weights had learnt that drew each batch.
  std::vector<double> drawn_by(const std::string& name) const {
    std::vector<double> steps;
    const auto points = store_of(name).metric("drawn_by_step").value();
    for (const run::MetricPoint& point : points) steps.push_back(point.value);
    return steps;
  }

  TestFolder folder_;
  std::ostringstream said_;
  run::Progress progress_{said_, run::ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
  bool is_ahead_ = true;
  std::function<Status()> hold_;  // instead of the recipe's
  std::int64_t resumed_from_ = -1;
  std::vector<std::string> calls_;  // of the recipe in the last process
  std::uint64_t weights_ = 0;       // of its trainer
};

TEST_F(LoopAhead, TheNextBatchIsDrawnWhileThisOneIsLearnt) {
  Meeting meeting;
  const auto done = process("run", [&](MixingTrainer& trainer, MixingRecipe& recipe) {
    trainer.before_step = [&](std::int64_t step) -> Status {
      EXPECT_TRUE(step == kSteps || meeting.attend(step)) << "nobody draws during " << step;
      return {};
    };
    recipe.before_step = [&](std::int64_t step) -> Status {
      EXPECT_TRUE(step == 1 || meeting.attend(step - 1)) << "nobody learns during " << step;
      return {};
    };
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(done->step, kSteps);
  EXPECT_THAT(drawn_by("run"), ElementsAre(0, 0, 1, 2, 3, 4));
  EXPECT_EQ(weights_, weights_after({0, 0, 1, 2, 3, 4}));
  std::vector<std::string> calls;
  for (int step = 1; step <= kSteps; ++step) {
    calls.push_back(fmt::format("step {}", step));
    calls.emplace_back("end");
  }
  EXPECT_EQ(calls_, calls) << "nothing is drawn that nobody learns from";
  const auto levels = store_of("run").curriculum().value();
  ASSERT_EQ(levels.size(), static_cast<std::size_t>(kSteps));
  for (int k = 0; k < kSteps; ++k) EXPECT_EQ(levels[k].state.upper_level, k + 1);
}

TEST_F(LoopAhead, TheWaitForABatchIsMeasured) {
  for (const bool learns_longer : {false, true}) {
    const std::string name = learns_longer ? "learns" : "draws";
    Meeting meeting;
    ASSERT_TRUE(process(name, [&](MixingTrainer& trainer, MixingRecipe& recipe) {
      trainer.before_step = [&](std::int64_t step) -> Status {
        EXPECT_TRUE(step == kSteps || meeting.attend(step));
        return {};
      };
      recipe.before_step = [&](std::int64_t step) -> Status {
        const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
        if (learns_longer) pause();
        EXPECT_TRUE(step == 1 || meeting.attend(step - 1));
        if (!learns_longer) pause();
        return {};
      };
    }));
    auto store = store_of(name);
    const auto drawing = store.metric("sampling_seconds").value();
    const auto waiting = store.metric("sampling_wait_seconds").value();
    ASSERT_EQ(waiting.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(waiting[0], drawing[0]) << "nobody can learn before the first batch";
    double waited = 0;
    double drawn = 0;
    for (std::size_t k = 1; k < waiting.size(); ++k) {
      waited += waiting[k].value;
      drawn += drawing[k].value;
    }
    EXPECT_GE(drawn, 0.2 * (kSteps - 1));
    EXPECT_EQ(waited < 0.5 * drawn, learns_longer) << waited << " of " << drawn;
  }
  is_ahead_ = false;
  ASSERT_TRUE(process("serial"));
  EXPECT_TRUE(store_of("serial").metric("sampling_wait_seconds")->empty());
}

// Weights are held from the moment a batch is asked for: what the learner makes of them meanwhile,
// early or late, changes nothing.
TEST_F(LoopAhead, ABatchDoesNotDependOnTheMoment) {
  ASSERT_TRUE(process("run"));
  const Remains expected = remains("run");
  for (const bool draws_late : {false, true}) {
    const auto late = [](std::int64_t) -> Status {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return {};
    };
    const std::string name = draws_late ? "draws late" : "learns late";
    ASSERT_TRUE(process(name, [&](MixingTrainer& trainer, MixingRecipe& recipe) {
      if (draws_late)
        recipe.before_step = late;
      else
        trainer.before_step = late;
    }));
    EXPECT_EQ(remains(name), expected) << name;
  }
}

TEST_F(LoopAhead, ARunThatIsInterruptedAnywhereEndsAsIfItHadNotBeen) {
  ASSERT_TRUE(process("whole"));
  const Remains whole = remains("whole");
  ASSERT_EQ(whole.items.size(), static_cast<std::size_t>(kSteps));
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    for (const bool by_learner : {false, true}) {
      const std::string name = fmt::format("{} {}", step, by_learner);
      const auto interrupt = [&](std::int64_t at) -> Status {
        if (at == step) stop_ = true;
        return {};
      };
      const auto stopped = process(name, [&](MixingTrainer& trainer, MixingRecipe& recipe) {
        if (by_learner)
          trainer.before_step = interrupt;
        else
          recipe.before_step = interrupt;
      });
      ASSERT_TRUE(stopped) << stopped.error().message;
      const std::int64_t in_hand = by_learner ? step : std::max<std::int64_t>(1, step - 1);
      EXPECT_EQ(stopped->step, in_hand) << name;
      const auto resumed = process(name);
      ASSERT_TRUE(resumed) << resumed.error().message;
      EXPECT_EQ(resumed_from_, in_hand);
      EXPECT_EQ(remains(name), whole) << name;
    }
  }
}

// As kill -9 does: nothing more is saved.
TEST_F(LoopAhead, ARunThatIsKilledAnywhereEndsAsIfItHadNotBeen) {
  ASSERT_TRUE(process("whole"));
  const Remains whole = remains("whole");
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    for (const bool by_learner : {false, true}) {
      const std::string name = fmt::format("{} {}", step, by_learner);
      const auto kill = [&](std::int64_t at) -> Status {
        if (at == step) throw Killed();
        return {};
      };
      EXPECT_THROW((void)process(name,
                                 [&](MixingTrainer& trainer, MixingRecipe& recipe) {
                                   if (by_learner)
                                     trainer.before_step = kill;
                                   else
                                     recipe.before_step = kill;
                                 }),
                   Killed);
      const auto resumed = process(name);
      ASSERT_TRUE(resumed) << resumed.error().message;
      const std::int64_t learnt = by_learner ? step - 1 : std::max<std::int64_t>(0, step - 2);
      EXPECT_EQ(resumed_from_, learnt / 2 * 2) << name;
      EXPECT_EQ(remains(name), whole) << name;
    }
  }
}

TEST_F(LoopAhead, ABatchThatCannotBeTrainedOnIsKeptAndTheRunGoesOn) {
  ASSERT_TRUE(process("whole"));
  const Remains whole = remains("whole");
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    const std::string name = std::to_string(step);
    const auto failed = process(name, [&](MixingTrainer& trainer, MixingRecipe&) {
      trainer.before_step = [&](std::int64_t at) -> Status {
        if (at == step) return failure("The loss is not finite.");
        return {};
      };
    });
    ASSERT_FALSE(failed);
    const fs::path batch = folder_ / name / fmt::format("failed-batch-step-{:08}.jsonl", step);
    EXPECT_THAT(failed.error().message,
                AllOf(HasSubstr("The loss is not finite"), HasSubstr(batch.string()),
                      HasSubstr(fmt::format("Saved is step {}; go on with", step - 1))));
    const Json group = parse_json(read_file(batch)).value();
    const auto resumed = process(name);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(resumed_from_, step - 1);
    EXPECT_EQ(remains(name), whole) << "the failure at " << step << " left a trace";
    // The batch that failed is the one that was then learnt from.
    const auto token = std::stoull(whole.items.at(step - 1).item.name) % 1000;
    EXPECT_EQ(group.at("rollouts").at(0).at("tokens"), Json::array({token}));
  }
}

// The step in hand is learnt and saved first. The batch is drawn anew, by the weights of then.
TEST_F(LoopAhead, ABatchThatCannotBeDrawnEndsTheRunAfterTheStepInHand) {
  for (std::int64_t step = 2; step <= kSteps; ++step) {
    const std::string name = std::to_string(step);
    const Prepare without_engine = [&](MixingTrainer&, MixingRecipe& recipe) {
      recipe.before_step = [&](std::int64_t at) -> Status {
        if (at == step) return failure("the engine is away.");
        return {};
      };
    };
    for (int attempt = 0; attempt < 3; ++attempt) {
      const auto failed = process(name, without_engine);
      ASSERT_FALSE(failed);
      EXPECT_THAT(failed.error().message,
                  AllOf(HasSubstr(fmt::format("the engine is away. Saved is step {}; go on with",
                                              step - 1)),
                        Not(HasSubstr("failed-batch"))));
      EXPECT_EQ(store_of(name).last_step().value(), step - 1);
    }
    ASSERT_TRUE(process(name));
    EXPECT_EQ(resumed_from_, step - 1);
    EXPECT_EQ(calls_.front(), fmt::format("step {}", step));
    std::vector<double> expected;
    for (std::int64_t k = 1; k <= kSteps; ++k)
      expected.push_back(static_cast<double>(k == step ? k - 1 : std::max<std::int64_t>(0, k - 2)));
    EXPECT_EQ(drawn_by(name), expected);
    EXPECT_EQ(weights_, weights_after(expected)) << "failures left a trace";
  }
}

// Whoever fails, the other is waited for: nothing of the run is used after it ended.
TEST_F(LoopAhead, AFailureWaitsForTheOtherThread) {
  for (const bool both : {false, true}) {
    std::atomic<bool> is_drawing = false;
    const auto failed =
        process(fmt::format("{}", both), [&](MixingTrainer& trainer, MixingRecipe& recipe) {
          trainer.before_step = [&](std::int64_t at) -> Status {
            if (at == 2) return failure("The loss is not finite.");
            return {};
          };
          recipe.before_step = [&](std::int64_t at) -> Status {
            if (at != 3) return {};
            is_drawing = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            is_drawing = false;
            if (both) return failure("the engine is away.");
            return {};
          };
        });
    ASSERT_FALSE(failed);
    EXPECT_FALSE(is_drawing);
    EXPECT_THAT(failed.error().message,
                AllOf(HasSubstr("The loss is not finite"), HasSubstr("Saved is step 1")));
    EXPECT_EQ(calls_.at(4), "step 3");
  }
}

TEST_F(LoopAhead, WeightsThatCannotBeHeldEndTheRunWithTheBatchSaved) {
  ASSERT_TRUE(process("whole"));
  const Remains whole = remains("whole");
  MixingRecipe* recipe_in_hand = nullptr;
  int held = 0;
  hold_ = [&]() -> Status {
    if (++held == 4) return failure("the disk is full.");
    return recipe_in_hand->ahead().hold_weights();
  };
  const auto failed =
      process("run", [&](MixingTrainer&, MixingRecipe& recipe) { recipe_in_hand = &recipe; });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("the disk is full. Saved is step 3"));
  hold_ = nullptr;
  ASSERT_TRUE(process("run"));
  EXPECT_EQ(remains("run"), whole);
}

TEST_F(LoopAhead, ARunMayGoOnWithoutItAndWithItAgain) {
  const auto interrupted_at = [&](std::int64_t step) -> Prepare {
    return [&, step](MixingTrainer& trainer, MixingRecipe&) {
      trainer.before_step = [&, step](std::int64_t at) -> Status {
        if (at == step) stop_ = true;
        return {};
      };
    };
  };
  ASSERT_TRUE(process("run", interrupted_at(2)));
  is_ahead_ = false;
  ASSERT_TRUE(process("run", interrupted_at(4)));
  EXPECT_EQ(calls_.front(), "step 4") << "the batch of step 3 was there";
  is_ahead_ = true;
  ASSERT_TRUE(process("run"));
  EXPECT_THAT(drawn_by("run"), ElementsAre(0, 0, 1, 3, 4, 4));
  EXPECT_EQ(weights_, weights_after({0, 0, 1, 3, 4, 4}));
}

TEST_F(LoopAhead, ADamagedBatchIsNoticed) {
  ASSERT_TRUE(process("whole"));
  const auto stopped = process("run", [&](MixingTrainer& trainer, MixingRecipe&) {
    trainer.before_step = [&](std::int64_t at) -> Status {
      if (at == 5) stop_ = true;
      return {};
    };
  });
  ASSERT_TRUE(stopped);
  const std::vector<run::Checkpoint> saved = run::checkpoints_of(folder_ / "run");
  ASSERT_EQ(saved.size(), 2U);
  const fs::path file = saved[1].folder / "batch.cbor";
  write_file(file, read_file(file).substr(0, 40));
  const auto refused = process("run");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr(file.string()), HasSubstr("to go on from step 4")));
}

}  // namespace
}  // namespace redqueen
