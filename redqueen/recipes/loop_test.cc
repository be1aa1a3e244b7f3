#include "redqueen/recipes/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Counts, and fails at a given step; its state is a number in a file.
class CountingTrainer final : public Trainer {
 public:
  explicit CountingTrainer(std::int64_t fails_at) : fails_at_(fails_at) {}

  Expected<StepReport> step(std::span<const ScoredGroup> groups) override {
    if (steps_ + 1 == fails_at_) return failure("Step {}: the loss is not finite.", fails_at_);
    ++steps_;
    return StepReport{.step = steps_, .groups = groups.size()};
  }
  std::int64_t steps() const override { return steps_; }
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
};

class Loop : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "loop_test_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Its state is the last step that it sampled for: a failed step must not leave a trace in it.
  Recipe recipe() {
    return {.name = "counting",
            .step = [this](std::int64_t step) -> Expected<RecipeBatch> {
              sampled_ = step;
              if (step == recipe_fails_at_) return failure("rank 1 was lost.");
              ScoredGroup group{.role = "solver", .prompt = {1, 2}};
              group.rollouts.push_back({.completion = {.tokens = {3}, .log_probs = {-1}}});
              return RecipeBatch{.groups = {group}};
            },
            .after_update = [] {},
            .curriculum = [] { return std::vector<CurriculumState>{}; },
            .state = [this] { return Json(sampled_); },
            .restore = [this](const Json& state) -> Status {
              sampled_ = state.get<std::int64_t>();
              return {};
            }};
  }

  Expected<LoopOutcome> run(Trainer& trainer, bool again) {
    const fs::path path = folder_ / "run";
    auto directory = again ? RunDirectory::open(path) : RunDirectory::create(path, "");
    auto store = EventStore::open(directory->database_path());
    std::ostringstream out;
    Progress progress(out, ProgressMode::kQuiet);
    const Recipe counting = recipe();
    const std::atomic<bool> stop{false};
    const LoopParts parts{*directory, *store,   trainer,
                          counting,   progress, [](const fs::path&) -> Status { return {}; },
                          stop};
    const auto done = resume(parts);
    if (!done) return tl::make_unexpected(done.error());
    resumed_from_ = *done;
    return run_loop(parts, {.steps = 8, .checkpoint_every = 3, .keep_checkpoints = 1}, *done);
  }

  std::vector<std::int64_t> saved_steps() const {
    std::vector<std::int64_t> steps;
    for (const Checkpoint& checkpoint : checkpoints_of(folder_ / "run"))
      steps.push_back(checkpoint.step);
    return steps;
  }

  fs::path folder_;
  std::int64_t sampled_ = 0;
  std::int64_t recipe_fails_at_ = -1;
  std::int64_t resumed_from_ = -1;
};

TEST_F(Loop, ABatchThatCannotBeTrainedOnIsKeptAndTheRunGoesOn) {
  CountingTrainer trainer(6);
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

  CountingTrainer mended(-1);
  const auto outcome = run(mended, true);
  ASSERT_TRUE(outcome.has_value()) << outcome.error().message;
  EXPECT_EQ(resumed_from_, 5);
  EXPECT_EQ(outcome->step, 8);
  EXPECT_EQ(mended.steps(), 8);
}

TEST_F(Loop, AStepThatCannotBeSampledLeavesTheOneBefore) {
  recipe_fails_at_ = 5;
  CountingTrainer trainer(-1);
  const auto failed = run(trainer, false);
  ASSERT_FALSE(failed.has_value());
  EXPECT_THAT(failed.error().message, HasSubstr("rank 1 was lost"));
  EXPECT_THAT(failed.error().message, testing::Not(HasSubstr("failed-batch")));
  recipe_fails_at_ = -1;
  ASSERT_TRUE(run(trainer, true).has_value());
  EXPECT_EQ(resumed_from_, 4);
}

TEST_F(Loop, AFirstStepThatFailsCanBeMadeAgain) {
  CountingTrainer trainer(1);
  ASSERT_FALSE(run(trainer, false).has_value());
  EXPECT_TRUE(saved_steps().empty());
  CountingTrainer mended(-1);
  EXPECT_TRUE(run(mended, true).has_value());
  EXPECT_EQ(resumed_from_, 0);
}

}  // namespace
}  // namespace redqueen
