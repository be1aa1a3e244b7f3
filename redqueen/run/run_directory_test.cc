#include "redqueen/run/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "redqueen/base/testing/folder.h"
#include "redqueen/run/working_process.h"

namespace redqueen::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Status fill(const fs::path& folder, std::string_view content) {
  fs::create_directories(folder / "policy");
  write_file(folder / "policy" / "weights", content);
  return {};
}

std::vector<std::int64_t> steps_of(const fs::path& run) {
  std::vector<std::int64_t> steps;
  for (const Checkpoint& checkpoint : checkpoints_of(run)) steps.push_back(checkpoint.step);
  return steps;
}

// Runs `work` in a child process and returns its exit status.
template <typename Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) _exit(work());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(RunDirectory, HoldsTheConfigurationAndIsNotMadeTwice) {
  const TestFolder folder;
  {
    const RunDirectory run = RunDirectory::create(folder / "a/b", "x = 1\n").value();
    EXPECT_EQ(read_file(run.config_path()), "x = 1\n");
    EXPECT_EQ(run.latest_checkpoint(), std::nullopt);
  }
  const auto again = RunDirectory::create(folder / "a/b", "x = 2\n");
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("a run already"));
  EXPECT_EQ(read_file(folder / "a/b/config.toml"), "x = 1\n");

  write_file(folder / "file", "");
  EXPECT_FALSE(RunDirectory::create(folder / "file/run", ""));
  EXPECT_THAT(RunDirectory::create(folder / "a", "").error().message, HasSubstr("not empty"));
  EXPECT_THAT(RunDirectory::open(folder / "none").error().message, HasSubstr("no run"));
}

TEST(RunDirectory, OneProcessAtATimeAndTheDeadHoldNothing) {
  const TestFolder folder;
  std::optional<RunDirectory> run = RunDirectory::create(folder / "run", "").value();
  const auto refused = [&] {
    const auto second = RunDirectory::open(folder / "run");
    return !second && second.error().message.find(std::to_string(getppid())) != std::string::npos
               ? 7
               : 1;
  };
  EXPECT_EQ(in_child(refused), 7);
  const auto seen = [&] { return working_process(folder / "run") == getppid() ? 7 : 1; };
  EXPECT_EQ(in_child(seen), 7);
  EXPECT_EQ(in_child(seen), 7);  // looking takes nothing away
  EXPECT_EQ(in_child(refused), 7);
  run.reset();
  EXPECT_EQ(working_process(folder / "run"), std::nullopt);
  EXPECT_EQ(working_process(folder / "none"), std::nullopt);
  const auto taken = [&] { return RunDirectory::open(folder / "run") ? 7 : 1; };
  EXPECT_EQ(in_child(taken), 7);  // and dies with the lock in its hands
  EXPECT_TRUE(RunDirectory::open(folder / "run"));
}

TEST(RunDirectory, KeepsTheLastCheckpoints) {
  const TestFolder folder;
  RunDirectory run = RunDirectory::create(folder / "run", "").value();
  for (const std::int64_t step : {5, 10, 15, 100'000'000, 1'000'000'000}) {
    const auto saved = run.save_checkpoint(
        step, 2, [&](const fs::path& path) { return fill(path, std::to_string(step)); });
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(read_file(saved->folder / "policy/weights"), std::to_string(step));
  }
  EXPECT_THAT(steps_of(folder / "run"), testing::ElementsAre(100'000'000, 1'000'000'000));
  EXPECT_EQ(run.latest_checkpoint()->step, 1'000'000'000);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "run/checkpoints"), {}), 2);
}

TEST(RunDirectory, ReplacesTheCheckpointOfTheSameStep) {
  const TestFolder folder;
  RunDirectory run = RunDirectory::create(folder / "run", "").value();
  for (const char* content : {"first", "second"}) {
    ASSERT_TRUE(
        run.save_checkpoint(5, 3, [&](const fs::path& path) { return fill(path, content); }));
  }
  EXPECT_EQ(read_file(run.latest_checkpoint()->folder / "policy/weights"), "second");
}

TEST(RunDirectory, AFailedOrKilledCheckpointLeavesTheOldOnes) {
  const TestFolder folder;
  {
    RunDirectory run = RunDirectory::create(folder / "run", "").value();
    ASSERT_TRUE(
        run.save_checkpoint(5, 1, [&](const fs::path& path) { return fill(path, "good"); }));
    const auto failed = run.save_checkpoint(6, 1, [&](const fs::path& path) -> Status {
      (void)fill(path, "half");
      return failure("disk full");
    });
    EXPECT_EQ(failed.error().message, "disk full");
    EXPECT_THAT(steps_of(folder / "run"), testing::ElementsAre(5));
  }
  const auto killed = [&] {
    RunDirectory run = RunDirectory::open(folder / "run").value();
    (void)run.save_checkpoint(7, 1, [&](const fs::path& path) -> Status {
      (void)fill(path, "half");
      _exit(9);
    });
    return 0;
  };
  EXPECT_EQ(in_child(killed), 9);
  const RunDirectory run = RunDirectory::open(folder / "run").value();
  EXPECT_EQ(run.latest_checkpoint()->step, 5);
  EXPECT_EQ(read_file(run.latest_checkpoint()->folder / "policy/weights"), "good");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "run/checkpoints"), {}), 1);
}

// Leftovers of this version and of earlier ones, wherever a run replaces something.
TEST(RunDirectory, OpeningSweepsWhatKilledProcessesLeft) {
  const TestFolder folder;
  ASSERT_TRUE(RunDirectory::create(folder / "run", ""));
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  const std::string draft = fmt::format(".policy.draft-{}.1.0", dead);
  for (const std::string& name :
       {draft, fmt::format("policy.new-{}", dead), "best/" + draft, "best/solver/" + draft,
        "solver/" + draft, fmt::format("engine.old-{}", dead),
        std::string("checkpoints/.unfinished-step-00000003")}) {
    fs::create_directories(folder / "run" / name);
    (void)fill(folder / "run" / name, "half");
  }
  ASSERT_TRUE(fill(folder / "run/engine", "new"));
  // Of this one an earlier version has left the old half of an exchange alone.
  const std::string former = fmt::format("policy.old-{}", dead);
  ASSERT_TRUE(fill(folder / "run" / former, "old"));
  write_file(folder / "run/config.toml.next", "");
  ASSERT_TRUE(RunDirectory::open(folder / "run"));
  std::set<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "run"))
    left.insert(entry.path().lexically_relative(folder / "run"));
  EXPECT_THAT(left,
              testing::ElementsAre("best", "best/solver", "checkpoints", "config.toml", "engine",
                                   "engine/policy", "engine/policy/weights", "lock", "policy",
                                   "policy/policy", "policy/policy/weights", "solver"));
  EXPECT_EQ(read_file(folder / "run/policy/policy/weights"), "old");
}

}  // namespace
}  // namespace redqueen::run
