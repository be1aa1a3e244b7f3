#include "redqueen/recipes/azr/code_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "redqueen/recipes/azr/heldout.h"
#include "redqueen/recipes/azr/program_generator.h"
#include "redqueen/recipes/azr/validation.h"

namespace redqueen {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<SandboxService> service() {
  static const auto shared = std::make_shared<SandboxService>();
  return shared;
}

const CodeEnvironments& environments() {
  static const CodeEnvironments made(service(), random_program_tasks(service()));
  return made;
}

std::string malformed_answer(TaskType type) { return type == TaskType::kError ? "" : "def f("; }

TEST(AzrEnvironments, EveryTypeOfTaskIsRegistered) {
  Registry registry;
  const auto made =
      register_code_environments(registry, service(), random_program_tasks(service()));
  EXPECT_EQ(registered_code_environments(), made);
  ASSERT_EQ(registry.all().size(), kTaskTypes.size());
  for (const TaskType type : kTaskTypes)
    EXPECT_NE(registry.find(fmt::format("azr/{}", name_of(type))), nullptr);
}

TEST(AzrEnvironments, ProblemsAreSolvedByTheirReferencesAlone) {
  for (const TaskType type : kTaskTypes) {
    const auto environment = environments().environment(type);
    for (const int level : {0, 1, 3}) {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto problem = environment->generate(level, seed);
        ASSERT_TRUE(problem) << problem.error().message;
        const auto right = (*problem)->score((*problem)->reference());
        EXPECT_TRUE(right.solved) << (*problem)->prompt() << "\n" << (*problem)->reference();
        EXPECT_EQ(right.reward, 1.0);
        EXPECT_EQ((*problem)->score(malformed_answer(type)).reward, -1.0) << name_of(type);
        const auto restored = environment->restore((*problem)->parameter());
        ASSERT_TRUE(restored) << restored.error().message;
        EXPECT_EQ((*restored)->prompt(), (*problem)->prompt());
        EXPECT_EQ((*restored)->reference(), (*problem)->reference());
      }
    }
    const auto beyond = environment->generate(kMaxProgramLevel + 1, 0);
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().fault, GenerationFault::kLevel);
  }
}

TEST(AzrEnvironments, TasksOfAnotherTypeAreRefused) {
  const auto error = environments().environment(TaskType::kError);
  const auto deduction = environments().environment(TaskType::kDeduction);
  const auto problem = error->generate(1, 0);
  ASSERT_TRUE(problem) << problem.error().message;
  const auto restored = deduction->restore((*problem)->parameter());
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message, HasSubstr("deduction"));
}

// Calls with an argument of another type fail with a TypeError nearly always: an answer that needs no look at the program
// must not solve most problems.
TEST(AzrEnvironments, ErrorsAreOfManyKindsAndValidate) {
  constexpr int kProblems = 96;
  std::map<std::string, int> names;
  std::vector<Candidate> candidates;
  const auto environment = environments().environment(TaskType::kError);
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    const auto problem = environment->generate(static_cast<int>(seed % 4), seed);
    ASSERT_TRUE(problem) << problem.error().message;
    const auto task = CodeTask::read_json((*problem)->parameter());
    ASSERT_TRUE(task) << task.error().message;
    EXPECT_EQ(task->output, (*problem)->reference());
    ++names[task->output];
    candidates.push_back({.task = *task, .components = {}});
  }
  EXPECT_GE(names.size(), 4U);
  for (const auto& [name, count] : names) EXPECT_LT(count, 3 * kProblems / 4) << name;
  // What self-play asks of a proposed error task holds for these too.
  const auto sandbox = service()->get();
  ASSERT_TRUE(sandbox);
  const auto results = validate(**sandbox, candidates);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].reason, Reason::kValid) << results[i].detail;
    EXPECT_EQ(results[i].task.output, candidates[i].task.output) << candidates[i].task.program;
  }
}

TEST(AzrEnvironments, RunInTheSandboxAsItIsConfigured) {
  const auto late = std::make_shared<SandboxService>();
  const CodeEnvironments over(late, random_program_tasks(late));
  const auto environment = over.environment(TaskType::kDeduction);
  SandboxConfig broken;
  broken.worker_path = "/no/such/worker";
  late->configure(broken);
  const auto failed = environment->generate(0, 0);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("/no/such/worker"));
  SandboxConfig sound;
  sound.workers = 1;
  late->configure(sound);
  ASSERT_TRUE(environment->generate(0, 0));
  EXPECT_EQ((*late->get())->workers(), 1);
}

TEST(SandboxServiceTest, AProcessHasOne) {
  const auto one = process_sandbox();
  SandboxConfig config;
  config.workers = 1;
  EXPECT_EQ(process_sandbox(config), one);
}

}  // namespace
}  // namespace redqueen
