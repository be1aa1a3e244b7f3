#include "redqueen/code_tasks/heldout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/base/testing/source_dir.h"
#include "redqueen/code_tasks/program_corpus.h"
#include "redqueen/code_tasks/solving.h"

namespace redqueen::code_tasks {
namespace {

constexpr std::array kTypes{TaskType::kDeduction, TaskType::kAbduction, TaskType::kInduction};

const TaskSource& tasks() {
  static const TaskSource source =
      random_program_tasks(std::make_shared<sandbox::SandboxService>());
  return source;
}

CodeTask task(const TaskSource& source, TaskType type, int level, std::uint64_t seed,
              std::uint64_t salt = 0) {
  MadeTask made = source(std::array{TaskAddress{type, level, seed, salt}})[0];
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *made : CodeTask{};
}

TEST(HeldOut, TasksAreSolvedByTheirReferences) {
  std::vector<CodeTask> all;
  for (const TaskType type : kTypes) {
    for (const int level : {0, 1, 4}) {
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        all.push_back(task(tasks(), type, level, seed));
        EXPECT_EQ(all.back().type, type);
      }
    }
  }
  std::vector<std::string> answers;
  for (const CodeTask& one : all) answers.push_back(one.reference());
  std::vector<AnswerCheck> checks;
  for (std::size_t i = 0; i < all.size(); ++i) checks.push_back({&all[i], answers[i]});
  sandbox::SandboxService service;
  const auto verdicts = check_answers(**service.get(), checks);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_TRUE(verdicts[i].solved) << all[i].program << "\n" << answers[i];
}

TEST(HeldOut, MakesTheSameTaskInAnyOrder) {
  const TaskSource other = random_program_tasks(std::make_shared<sandbox::SandboxService>());
  for (const std::uint64_t seed : {70, 3, 71, 0}) {
    for (const TaskType type : kTypes) {
      EXPECT_EQ(task(tasks(), type, 2, seed, 9), task(other, type, 2, seed, 9));
    }
  }
  EXPECT_NE(task(other, TaskType::kDeduction, 2, 3).program,
            task(other, TaskType::kDeduction, 2, 4).program);
}

TEST(HeldOut, MakesTheSameTasksTogetherAsAlone) {
  std::vector<TaskAddress> addresses;
  for (const std::uint64_t salt : {0, 9}) {
    for (const TaskType type : kTaskTypes) {
      for (const std::uint64_t seed : {40, 3, 40, 1000}) addresses.push_back({type, 1, seed, salt});
    }
  }
  addresses.push_back({TaskType::kInduction, kMaxProgramLevel + 1, 0, 0});
  const auto together = tasks()(addresses);
  ASSERT_EQ(together.size(), addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto& [type, level, seed, salt] = addresses[i];
    const MadeTask alone = tasks()(std::array{addresses[i]})[0];
    ASSERT_EQ(together[i].has_value(), alone.has_value());
    if (alone) {
      EXPECT_EQ(*together[i], *alone) << name_of(type) << seed;
    } else {
      EXPECT_EQ(together[i].error().fault, alone.error().fault);
    }
  }
}

// The point of holding out: a warm start has none of these programs, and neither has another salt.
TEST(HeldOut, SharesNoProgramWithAWarmStart) {
  std::set<std::string> held_out;
  std::set<std::string> salted;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    held_out.insert(task(tasks(), TaskType::kDeduction, 0, seed).program);
    salted.insert(task(tasks(), TaskType::kDeduction, 0, seed, 5).program);
  }
  sandbox::SandboxService service;
  const auto prompts = PromptSet::load(source_dir() / "configs" / "azr" / "prompts-terse");
  ASSERT_TRUE(prompts);
  std::set<std::string> learnt;
  for (const SupervisedExample& example :
       program_corpus(**service.get(), *prompts, *PromptFormat::parse("terse"),
                      {.levels = {0}, .problems = 400, .inputs = 4}))
    learnt.insert(example.task.program);
  for (const std::string& program : held_out) {
    EXPECT_FALSE(learnt.contains(program)) << program;
    EXPECT_FALSE(salted.contains(program)) << program;
  }
  std::size_t shared = 0;
  for (const std::string& program : salted) shared += learnt.contains(program);
  EXPECT_GT(shared, 0U);  // at level 0 chance alone repeats programs
}

TEST(HeldOut, EndsWithTheLevels) {
  const TaskAddress address{.type = TaskType::kDeduction, .level = kMaxProgramLevel + 1};
  const MadeTask beyond = tasks()(std::array{address})[0];
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().fault, GenerationFault::kLevel);
}

}  // namespace
}  // namespace redqueen::code_tasks
