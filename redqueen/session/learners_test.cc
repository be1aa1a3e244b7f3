#include "redqueen/session/learners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "redqueen/base/testing/folder.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/session/init_policy.h"
#include "redqueen/session/loop.h"
#include "redqueen/session/testing/ask_and_answer.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TwoPolicies : public testing::Test {
 protected:
  TwoPolicies() {
    settings_.model = {.vocabulary = 300,
                       .hidden_size = 32,
                       .intermediate_size = 64,
                       .layers = 1,
                       .heads = 2,
                       .key_value_heads = 1,
                       .head_dim = 16,
                       .context = 64};
    settings_.run = {.seed = 3, .steps = 4, .threads = 1, .checkpoint_every = 2};
    settings_.sampling.max_new_tokens = 4;
    settings_.trainer.schedule.peak = 1e-2;
  }

  struct Pair {
    std::unique_ptr<EmbeddedPolicy> policy;
    std::unique_ptr<EmbeddedTrainer> trainer;
  };
  Pair make(std::uint64_t seed) {
    TrainSettings own = settings_;
    own.run.seed = seed;
    Pair pair;
    pair.policy = make_policy(own, {"1 + 1 = 2"}).value();
    pair.trainer = EmbeddedTrainer::create(*pair.policy, own.trainer).value();
    return pair;
  }

  // One process of a run, from its newest checkpoint on.
  Expected<LoopOutcome> process(const std::string& name, std::int64_t killed_at) {
    const Pair asker = make(1);
    const Pair answerer = make(2);
    const auto saver = [](const Pair& pair) {
      return [&pair](const fs::path& folder, const fs::path& same) {
        return save_checkpoint(folder, pair.policy->transformer(), pair.policy->tokenizer(), {},
                               same);
      };
    };
    AskAndAnswer recipe({.settings = settings_,
                         .policy = *asker.policy,
                         .engine = shared_engine(),
                         .run = folder_ / name,
                         .progress = progress_,
                         .roles = {{"answerer", answerer.policy.get()}}},
                        [&](std::int64_t step) -> Status {
                          if (step == killed_at) return failure("killed");
                          return {};
                        });
    auto directory = fs::exists(folder_ / name) ? run::RunDirectory::open(folder_ / name)
                                                : run::RunDirectory::create(folder_ / name, "");
    auto store = run::EventStore::open(directory->database_path());
    const LoopParts parts{
        *directory,
        *store,
        {{"asker", *asker.trainer, saver(asker)}, {"answerer", *answerer.trainer, saver(answerer)}},
        recipe,
        progress_,
        stop_};
    ASSIGN_OR_RETURN(LoopStart start, resume(parts));
    ASSIGN_OR_RETURN(const LoopOutcome outcome, run_loop(parts, settings_.run, std::move(start)));
    RETURN_IF_ERROR(save_policies(parts.learners, folder_ / name));
    return outcome;
  }

  std::string weights(const std::string& name, const std::string& role) {
    return read_file(folder_ / name / role / "policy" / "model.safetensors");
  }

  TestFolder folder_;
  TrainSettings settings_;
  std::ostringstream said_;
  run::Progress progress_{said_, run::ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
};

TEST_F(TwoPolicies, BothLearnAndAKilledRunEndsWithTheSameBytes) {
  const auto whole = process("whole", -1);
  ASSERT_TRUE(whole) << whole.error().message;
  const auto killed = process("killed", 4);
  ASSERT_FALSE(killed);
  EXPECT_THAT(killed.error().message, HasSubstr("Saved is step 3"));
  const auto resumed = process("killed", -1);
  ASSERT_TRUE(resumed) << resumed.error().message;

  settings_.run.steps = 0;
  ASSERT_TRUE(process("untrained", -1));
  for (const char* role : {"asker", "answerer"}) {
    EXPECT_FALSE(weights("whole", role).empty());
    EXPECT_NE(weights("whole", role), weights("untrained", role)) << role << " learns nothing";
    EXPECT_EQ(weights("whole", role), weights("killed", role)) << role;
  }
  EXPECT_NE(weights("whole", "asker"), weights("whole", "answerer"));
  auto store = run::EventStore::open_to_read(folder_ / "whole" / "run.db").value();
  EXPECT_EQ(store.metric("loss/asker")->size(), 4U);
  EXPECT_EQ(store.metric("loss/answerer")->size(), 4U);
}

// The trainer's copy and the policy's are two names of one file.
TEST_F(TwoPolicies, ACheckpointHoldsItsWeightsOnce) {
  settings_.run.steps = 2;
  ASSERT_TRUE(process("run", -1));
  const std::vector<run::Checkpoint> saved = run::checkpoints_of(folder_ / "run");
  ASSERT_EQ(saved.size(), 1U);
  for (const char* role : {"asker", "answerer"}) {
    const fs::path own = saved[0].folder / role;
    EXPECT_TRUE(fs::equivalent(own / "policy" / "model.safetensors",
                               own / "trainer" / "policy" / "model.safetensors"));
    EXPECT_FALSE(fs::equivalent(own / "policy" / "model.safetensors",
                                folder_ / "run" / role / "policy" / "model.safetensors"))
        << "what a user may overwrite is a file of its own";
  }
}

TEST_F(TwoPolicies, ADamagedCheckpointIsNoticedAndTheOneBeforeServes) {
  ASSERT_TRUE(process("whole", -1));
  ASSERT_TRUE(process("run", -1));
  const std::vector<run::Checkpoint> saved = run::checkpoints_of(folder_ / "run");
  ASSERT_EQ(saved.size(), 2U);
  for (const char* file : {"policy/model.safetensors", "trainer.safetensors"}) {
    const fs::path damaged = saved[1].folder / "answerer" / "trainer" / file;
    const std::string bytes = read_file(damaged);
    std::string other = bytes;
    other[bytes.size() - 5] ^= 1;
    write_file(damaged, other);
    const auto refused = process("run", -1);
    ASSERT_FALSE(refused) << file;
    EXPECT_THAT(refused.error().message, HasSubstr("the file is damaged"));
    EXPECT_THAT(refused.error().message, HasSubstr("to go on from step 2"));
    write_file(damaged, bytes);
  }
  fs::remove_all(saved[1].folder);
  const auto resumed = process("run", -1);
  ASSERT_TRUE(resumed) << resumed.error().message;
  for (const char* role : {"asker", "answerer"})
    EXPECT_EQ(weights("run", role), weights("whole", role));
}

// Remembers the roles of its groups; fails where it is told to.
class RecordingTrainer final : public Trainer {
 public:
  Expected<StepReport> step(std::span<const ScoredGroup> groups) override {
    if (steps_ + 1 == fails_at) return failure("The loss is not finite.");
    for (const ScoredGroup& group : groups) roles.push_back(group.role);
    ++steps_;
    return StepReport{};
  }
  std::int64_t steps() const override { return steps_; }
  Status save(const fs::path&) const override { return {}; }
  Status load(const fs::path&) override { return {}; }

  std::int64_t fails_at = -1;
  std::vector<std::string> roles;

 private:
  std::int64_t steps_ = 0;
};

TEST(Learners, TakeTheGroupsOfTheirRole) {
  const std::vector<ScoredGroup> groups = {{.role = "b"}, {.role = "a"}, {.role = "b"}};
  RecordingTrainer only;
  const std::vector<Learner> one = {{"", only, {}}};
  ASSERT_TRUE(step_learners(one, groups));
  EXPECT_THAT(only.roles, ElementsAre("b", "a", "b"));

  RecordingTrainer first;
  RecordingTrainer second;
  const std::vector<Learner> two = {{"a", first, {}}, {"b", second, {}}};
  ASSERT_TRUE(step_learners(two, groups));
  EXPECT_THAT(first.roles, ElementsAre("a"));
  EXPECT_THAT(second.roles, ElementsAre("b", "b"));
  ASSERT_TRUE(step_learners(two, std::span(groups).first(1)));
  EXPECT_THAT(steps_of(two), ElementsAre(1, 2)) << "no groups, no update";

  const std::vector<ScoredGroup> unknown = {{.role = "a"}, {.role = "c"}};
  const auto refused = step_learners(two, unknown);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("\"c\""));
  EXPECT_THAT(steps_of(two), ElementsAre(1, 2)) << "nobody has learnt";
}

// The asker has made the step that the answerer could not make: its state is no longer that of the
// step before, and must not be saved as such.
TEST_F(TwoPolicies, AStepThatOnlyOneMadeIsNotSaved) {
  RecordingTrainer first;
  RecordingTrainer second;
  const Pair policy = make(1);
  AskAndAnswer recipe({.settings = settings_,
                       .policy = *policy.policy,
                       .engine = shared_engine(),
                       .run = folder_ / "run",
                       .progress = progress_});
  auto directory = run::RunDirectory::create(folder_ / "run", "");
  auto store = run::EventStore::open(directory->database_path());
  const auto save = [](const fs::path&, const fs::path&) -> Status { return {}; };
  const LoopParts parts{*directory, *store,    {{"asker", first, save}, {"answerer", second, save}},
                        recipe,     progress_, stop_};
  second.fails_at = 2;
  const auto outcome = run_loop(parts, {.steps = 3, .checkpoint_every = 9}, {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("Saved is step 0"));
  EXPECT_TRUE(run::checkpoints_of(folder_ / "run").empty());
}

}  // namespace
}  // namespace redqueen
