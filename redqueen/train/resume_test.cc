// A run killed at random points and resumed ends with the same bytes as one that was left alone.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/own_process.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/testing/groups.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

constexpr const char* kFolderVariable = "REDQUEEN_RESUME_TEST_FOLDER";
constexpr std::int64_t kSteps = 14;

TrainerOptions training_options() {
  TrainerOptions options;
  options.schedule = {ScheduleShape::kCosine, 3e-3, 3, 4 * kSteps, 0.1};
  options.epochs = 2;
  options.mini_batches = 2;
  options.micro_batch_tokens = 60;
  options.objective.entropy_coefficient = 0.001;
  return options;
}

// What the killed process runs: goes on from the last save, saves after every step, ends after
// kSteps.
TEST(ResumeProcess, DISABLED_TrainsInTheFolderOfTheEnvironment) {
  const char* name = std::getenv(kFolderVariable);
  if (name == nullptr) GTEST_SKIP() << kFolderVariable << " names no folder";
  at::set_num_threads(1);
  const std::filesystem::path state = std::filesystem::path(name) / "state";
  auto trainer =
      EmbeddedTrainer::create(Transformer::initialise(tiny_config(16), 7), training_options());
  ASSERT_TRUE(trainer.has_value());
  if (std::filesystem::exists(state)) {
    const Status loaded = (*trainer)->load(state);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  }
  while ((*trainer)->steps() < kSteps) {
    Rng rng({.seed = 31,
             .purpose = hash_name("resume_test"),
             .step = static_cast<std::uint64_t>((*trainer)->steps())});
    ASSERT_TRUE(
        (*trainer)->step(random_groups(rng, {}, AdvantageRule::kGroupNormalised)).has_value());
    ASSERT_TRUE((*trainer)->save(state).has_value());
  }
}

pid_t start_training(const std::filesystem::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::setenv(kFolderVariable, folder.c_str(), 1);
  become_tests("ResumeProcess.*");
}

std::int64_t saved_steps(const std::filesystem::path& folder) {
  std::ifstream in(folder / "state" / "trainer.json");
  const auto json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  return json.is_object() ? json.value("steps", std::int64_t{0}) : 0;
}

bool has_ended(pid_t child, int* status) { return ::waitpid(child, status, WNOHANG) == child; }

// Kills the process some microseconds after it has saved step `after`. False if it ended before.
bool kill_after(pid_t child, const std::filesystem::path& folder, std::int64_t after,
                std::int64_t microseconds) {
  int status = 0;
  while (saved_steps(folder) < after) {
    if (has_ended(child, &status)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST(Resume, AfterSigkillTheParametersAreThoseOfAnUninterruptedRunBitForBit) {
  const TestFolder whole;
  const TestFolder killed;
  int status = 0;
  ::waitpid(start_training(whole.path()), &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ASSERT_EQ(saved_steps(whole.path()), kSteps);

  Rng rng({.seed = 32, .purpose = hash_name("resume_test")});
  int kills = 0;
  for (std::int64_t after = 0; after < kSteps - 3; after = saved_steps(killed.path()) + 3) {
    const pid_t child = start_training(killed.path());
    kills += kill_after(child, killed.path(), after, rng.integer(0, 20'000)) ? 1 : 0;
  }
  EXPECT_GE(kills, 2);
  ::waitpid(start_training(killed.path()), &status, 0);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);

  for (const std::string file :
       {"policy/model.safetensors", "trainer.safetensors", "trainer.json"}) {
    const std::string expected = read_file(whole.path() / "state" / file);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(read_file(killed.path() / "state" / file) == expected, true) << file << " differs";
  }
}

}  // namespace
}  // namespace redqueen
