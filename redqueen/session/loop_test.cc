#include "redqueen/session/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "redqueen/run/sqlite.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Counts, and fails at a given step; its state is a number in a file.
class LoopCountingTrainer final : public Trainer {
 public:
  explicit LoopCountingTrainer(std::int64_t fails_at) : fails_at_(fails_at) {}

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override {
    if (steps_ + 1 == fails_at_) return failure("Step {}: the loss is not finite.", fails_at_);
    ++steps_;
    most_groups_ = std::max(most_groups_, groups.size());
    last_ = groups.front().rollouts.front();
    return StepReport{.step = steps_, .groups = groups.size()};
  }
  std::int64_t steps() const override { return steps_; }
  std::size_t most_groups() const { return most_groups_; }
  const ScoredRollout& last() const { return last_; }  // the first rollout of the last step
  Status save(const fs::path& folder) const override {
    fs::create_directories(folder);
    std::ofstream(folder / "steps") << steps_;
    return {};
  }
  Status load(const fs::path& folder) override {
    std::ifstream(folder / "steps") >> steps_;
    return {};
  }

 private:
  std::int64_t fails_at_;
  std::int64_t steps_ = 0;
  std::size_t most_groups_ = 0;
  ScoredRollout last_;
};

// Its state is the last step that it sampled for: a failed step must not leave a trace in it.
class CountingRecipe final : public Recipe {
 public:
  explicit CountingRecipe(std::int64_t fails_at) : fails_at_(fails_at) {}

  // The steps at which the responses to one prompt are missing, or those to the only one.
  std::set<std::int64_t> missing_at;
  std::set<std::int64_t> remarks_at;  // the steps that remark on themselves
  bool lose_all = false;
  bool cuts = false;  // its responses are cut at their length
  std::function<void(std::int64_t step)> before_step = [](std::int64_t) {};

  std::string_view name() const override { return "counting"; }
  Expected<RecipeBatch> step(std::int64_t step) override {
    sampled_ = step;
    before_step(step);
    if (step == fails_at_) return failure("rank 1 was lost.");
    ScoredGroup group{.role = "solver", .prompt = {1, 2}};
    group.rollouts.push_back({.completion = {.tokens = {3}, .log_probs = {-1}}});
    RecipeBatch batch{.groups = {group}};
    batch.missing.asked = 1;
    if (missing_at.contains(step)) lose(batch);
    if (cuts) batch.groups[0].rollouts[0].completion.finish = FinishReason::kLength;
    if (remarks_at.contains(step)) batch.remark = fmt::format("turn {} was rewritten", step);
    return batch;
  }
  Json state() const override { return sampled_; }
  Status restore(const Json& state) override {
    sampled_ = state.get<std::int64_t>();
    return {};
  }

 private:
  void lose(RecipeBatch& batch) const {
    ScoredGroup group = batch.groups.front();
    const Completion missing{.finish = FinishReason::kPromptTooLong, .failure = "far too long"};
    group.rollouts = {{.completion = missing}, {.completion = missing}};
    if (lose_all) batch = {};
    batch.groups.push_back(group);
    const CompletionGroup sampled{.completions = {missing, missing}};
    batch.missing.count({&sampled, 1});
  }

  std::int64_t fails_at_;
  std::int64_t sampled_ = 0;
};

class Loop : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "loop_test_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Expected<LoopOutcome> run(Trainer& trainer, bool again) {
    const fs::path path = folder_ / "run";
    auto directory = again ? run::RunDirectory::open(path) : run::RunDirectory::create(path, "");
    auto store = run::EventStore::open(directory->database_path());
    said_.str("");
    run::Progress progress(said_, run::ProgressMode::kQuiet);
    CountingRecipe counting(recipe_fails_at_);
    counting.missing_at = missing_at_;
    counting.lose_all = lose_all_;
    counting.remarks_at = remarks_at_;
    counting.cuts = cuts_;
    if (before_step_) counting.before_step = before_step_;
    const std::atomic<bool> stop{false};
    const auto save_policy = [](const fs::path&, const fs::path&) -> Status { return {}; };
    LoopParts parts{*directory, *store, {{"", trainer, save_policy}}, counting, progress, stop};
    parts.overlong = overlong_;
    ASSIGN_OR_RETURN(LoopStart start, resume(parts));
    resumed_from_ = start.done;
    return run_loop(parts, {.steps = 8, .checkpoint_every = 3, .keep_checkpoints = 1},
                    std::move(start));
  }

  std::vector<std::int64_t> saved_steps() const {
    std::vector<std::int64_t> steps;
    for (const run::Checkpoint& checkpoint : run::checkpoints_of(folder_ / "run"))
      steps.push_back(checkpoint.step);
    return steps;
  }

  fs::path folder_;
  std::ostringstream said_;
  std::set<std::int64_t> missing_at_;
  std::set<std::int64_t> remarks_at_;
  bool lose_all_ = false;
  bool cuts_ = false;
  OverlongOptions overlong_;
  std::function<void(std::int64_t step)> before_step_;
  std::int64_t recipe_fails_at_ = -1;
  std::int64_t resumed_from_ = -1;
};

TEST_F(Loop, ABatchThatCannotBeTrainedOnIsKeptAndTheRunGoesOn) {
  LoopCountingTrainer trainer(6);
  const auto failed = run(trainer, false);
  ASSERT_FALSE(failed.has_value());
  const fs::path batch = folder_ / "run" / "failed-batch-step-00000006.jsonl";
  EXPECT_THAT(failed.error().message, HasSubstr("the loss is not finite"));
  EXPECT_THAT(failed.error().message, HasSubstr(batch.string()));
  EXPECT_THAT(failed.error().message, HasSubstr("Saved is step 5"));
  EXPECT_THAT(failed.error().message, HasSubstr("redqueen train --resume"));
  EXPECT_THAT(saved_steps(), ElementsAre(3, 5)) << "nothing older may be lost";
  std::ifstream in(batch);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(parse_json(line).value()["rollouts"][0]["tokens"], Json::array({3}));

  LoopCountingTrainer mended(-1);
  const auto outcome = run(mended, true);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(resumed_from_, 5);
  EXPECT_EQ(outcome->step, 8);
  EXPECT_EQ(mended.steps(), 8);
}

TEST_F(Loop, AStepThatCannotBeSampledLeavesTheOneBefore) {
  recipe_fails_at_ = 5;
  LoopCountingTrainer trainer(-1);
  const auto failed = run(trainer, false);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("rank 1 was lost"));
  EXPECT_THAT(failed.error().message, testing::Not(HasSubstr("failed-batch")));
  recipe_fails_at_ = -1;
  ASSERT_TRUE(run(trainer, true).has_value());
  EXPECT_EQ(resumed_from_, 4);
}

// As a full disk does.
TEST_F(Loop, AStepThatCannotBeRecordedSaysHowToGoOn) {
  before_step_ = [&](std::int64_t step) {
    if (step != 5) return;
    auto database = run::Database::open(folder_ / "run/run.db", run::Database::Mode::kReadWrite);
    ASSERT_TRUE(database->execute("DROP TABLE metrics"));
  };
  LoopCountingTrainer trainer(-1);
  const auto failed = run(trainer, false);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("run.db"));
  EXPECT_THAT(failed.error().message,
              HasSubstr("Saved is step 3; go on with: redqueen train --resume"));
}

TEST_F(Loop, ResponsesThatAreMissingAreCountedAndNotTrainedOn) {
  missing_at_ = {2, 5};
  LoopCountingTrainer trainer(-1);
  ASSERT_TRUE(run(trainer, false).has_value());
  EXPECT_EQ(trainer.most_groups(), 1u) << "the group without responses is left out";
  const std::string said = said_.str();
  EXPECT_THAT(said, HasSubstr("step 2: 2 of 3 responses could not be had: far too long"));
  EXPECT_EQ(said.find("could not be had"), said.rfind("could not be had")) << "told once";
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
  std::vector<double> counts;
  const auto points = store->metric("missing/prompt_too_long").value();
  for (const run::MetricPoint& point : points) counts.push_back(point.value);
  EXPECT_THAT(counts, ElementsAre(0, 2, 0, 0, 2, 0, 0, 0));
}

TEST_F(Loop, ResponsesThatAreTooLongAreMaskedAndPunishedWhereThatIsAsked) {
  cuts_ = true;
  LoopCountingTrainer plain(-1);
  ASSERT_TRUE(run(plain, false).has_value());
  EXPECT_EQ(drawn_tokens(plain.last()), 1u);
  EXPECT_EQ(plain.last().reward, 0);
  fs::remove_all(folder_ / "run");
  overlong_ = {.mask_cut = true, .cache = 1, .longest = 1};
  LoopCountingTrainer shaped(-1);
  ASSERT_TRUE(run(shaped, false).has_value());
  EXPECT_EQ(drawn_tokens(shaped.last()), 0u);
  EXPECT_EQ(shaped.last().reward, -1);
  auto store = run::EventStore::open_to_read(folder_ / "run" / "run.db");
  EXPECT_EQ(store->metric("overlong/masked").value().size(), 8u);
  EXPECT_EQ(store->metric("overlong/punishment").value().front().value, -1);
}

TEST_F(Loop, TheFirstRemarkOfARunIsTold) {
  remarks_at_ = {3, 4, 7};
  LoopCountingTrainer trainer(-1);
  ASSERT_TRUE(run(trainer, false).has_value());
  const std::string said = said_.str();
  EXPECT_THAT(said, HasSubstr("step 3: turn 3 was rewritten"));
  EXPECT_EQ(said.find("was rewritten"), said.rfind("was rewritten")) << "told once";
}

TEST_F(Loop, AStepWithoutResponsesMakesNoUpdateAndARunWithoutAnyFails) {
  lose_all_ = true;
  missing_at_ = {4};
  LoopCountingTrainer trainer(-1);
  ASSERT_TRUE(run(trainer, false).has_value());
  EXPECT_EQ(trainer.steps(), 7);

  fs::remove_all(folder_ / "run");
  missing_at_ = {1, 2};
  LoopCountingTrainer other(-1);
  const auto failed = run(other, false);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("none of 2 responses could be had: far too long"));
  EXPECT_EQ(failed.error().kind, ErrorKind::kUsage);
}

TEST_F(Loop, AFirstStepThatFailsCanBeMadeAgain) {
  LoopCountingTrainer trainer(1);
  ASSERT_FALSE(run(trainer, false).has_value());
  EXPECT_TRUE(saved_steps().empty());
  LoopCountingTrainer mended(-1);
  EXPECT_TRUE(run(mended, true).has_value());
  EXPECT_EQ(resumed_from_, 0);
}

}  // namespace
}  // namespace redqueen
