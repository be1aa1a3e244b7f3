#include "redqueen/code_tasks/code_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "redqueen/code_tasks/heldout.h"
#include "redqueen/code_tasks/program_generator.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/testing/episode_checks.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/testing/sandbox.h"
#include "redqueen/synth/writer/written_problems.h"

namespace redqueen::code_tasks {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<sandbox::SandboxService> service() {
  static const auto shared = std::make_shared<sandbox::SandboxService>();
  return shared;
}

CodeEnvironments environments_over(const std::shared_ptr<sandbox::SandboxService>& sandbox) {
  return {sandbox, random_program_tasks(sandbox), {.prompts = "configs/azr/prompts"}};
}

const CodeEnvironments& environments() {
  static const CodeEnvironments made = environments_over(service());
  return made;
}

std::string malformed_answer(TaskType type) { return type == TaskType::kError ? "" : "def f("; }

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

TEST(AzrEnvironments, KeepThePromisesOfEpisodes) {
  for (const TaskType type : kTaskTypes) {
    const auto environment = environments().environment(type);
    for (const int level : {0, 3}) {
      for (const std::uint64_t seed : {1, 2})
        expect_sound_episodes(*environment, environment->address(level, seed));
    }
  }
}

// Every way to make and score at once: code tasks, Python environments, environments that are
// written at random, and the restored problems of all of them.
TEST(AzrEnvironments, BatchesWithPythonEqualSingleCalls) {
  std::vector<std::shared_ptr<const Environment>> all;
  for (const TaskType type : kTaskTypes) all.push_back(environments().environment(type));
  all.push_back(synth::written_problems(service()));
  const auto sandbox = service()->get();
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  all.push_back(
      std::make_shared<synth::PythonEnvironment>(synth::seed_source("sorting"), **sandbox));
  std::vector<ProblemRequest> requests;
  for (std::uint64_t seed = 0; seed < 48; ++seed)
    requests.push_back({all[seed % all.size()].get(), static_cast<int>(seed % 3), seed / 2, 4});
  for (const auto& environment : all) requests.push_back({environment.get(), -1, 0, 0});

  std::vector<Generated> alone;
  std::vector<std::string> answers;
  std::vector<Verdict> expected;
  for (const auto& [environment, level, seed, salt] : requests) {
    alone.push_back(environment->generate(level, seed, salt));
    const ProblemPtr& problem = alone.back() ? *alone.back() : *alone.front();
    answers.push_back(seed % 3 == 0 ? "nothing" : problem->reference());
    expected.push_back(alone.back() ? problem->score(answers.back()) : Verdict{});
  }
  for (const int threads : {1, 2, 7}) {
    const auto made = generate_all(requests, {.threads = threads});
    std::vector<AnswerRequest> asked;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      ASSERT_EQ(made[i].has_value(), alone[i].has_value()) << i;
      if (!made[i]) {
        EXPECT_EQ(made[i].error().fault, alone[i].error().fault);
        continue;
      }
      EXPECT_EQ((*made[i])->parameter(), (*alone[i])->parameter());
      asked.push_back({made[i]->get(), answers[i]});
      places.push_back(i);
    }
    EXPECT_GE(asked.size(), 48u);
    const auto verdicts = score_all(asked, {.threads = threads});
    for (std::size_t k = 0; k < asked.size(); ++k)
      EXPECT_EQ(verdicts[k], expected[places[k]]) << asked[k].problem->prompt() << asked[k].answer;
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

// The parameters of `problem` with one thing changed, by what was changed.
std::vector<std::pair<std::string, Json>> forged_parameters(const Problem& problem,
                                                            const Problem& stranger) {
  const Json parameter = problem.parameter();
  const Json other = stranger.parameter();
  std::vector<std::pair<std::string, Json>> forged;
  const auto change = [&](const std::string& place, const Json& value) {
    const Json::json_pointer pointer(place);
    if (parameter[pointer] == value) return;
    forged.emplace_back(place, parameter);
    forged.back().second[pointer] = value;
  };
  for (const auto& [key, value] : parameter.items()) {
    if (key == "type") continue;
    change("/" + key, other[key]);
    if (!value.is_string()) continue;
    change("/" + key, "");
    change("/" + key, value.get<std::string>() + " ");
  }
  change("/program", parameter["program"].get<std::string>() + "\n# the end");
  const Json flat = parameter.flatten();
  for (const char* nonsense : {"0", "ValueError", "def", "1, 2"}) {
    for (const auto& [place, value] : flat.items()) {
      const bool decides = place == "/output" || place == "/input" || place.starts_with("/pairs/");
      if (decides) change(place, nonsense);
    }
  }
  return forged;
}

// Whoever forges the parameter of a task wins nothing: it is refused, or another problem is asked,
// which its program answers, or the verdicts stay as they are.
TEST(AzrEnvironments, RefuseForgedParameters) {
  const auto sandbox = service()->get();
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  for (const TaskType type : kTaskTypes) {
    SCOPED_TRACE(name_of(type));
    const auto environment = environments().environment(type);
    std::map<std::string, int> refused;
    int compared = 0;
    std::vector<Candidate> shown;
    for (const std::uint64_t seed : {0, 2, 4}) {
      const auto problem = environment->generate(static_cast<int>(seed), seed);
      const auto stranger = environment->generate(static_cast<int>(seed), seed + 1);
      ASSERT_TRUE(problem && stranger);
      for (const auto& [place, parameter] : forged_parameters(**problem, **stranger)) {
        const auto restored = environment->restore(parameter);
        if (!restored) {
          ++refused[place];
          continue;
        }
        EXPECT_TRUE((*restored)->score((*restored)->reference()).solved) << dump_json(parameter);
        if ((*restored)->prompt() != (*problem)->prompt()) {
          shown.push_back({.task = *CodeTask::read_json(parameter), .components = {}});
          continue;
        }
        ++compared;
        for (const std::string& answer :
             {(*problem)->reference(), (*restored)->reference(), (*stranger)->reference(),
              std::string("0"), std::string("def f(*args):\n    return 0")}) {
          EXPECT_EQ((*restored)->score(answer), (*problem)->score(answer))
              << answer << "\nby " << dump_json(parameter);
        }
      }
    }
    EXPECT_GT(refused["/program"], 0);
    EXPECT_GT(refused[type == TaskType::kInduction ? "/pairs/0/1" : "/output"], 0);
    EXPECT_GT(refused[type == TaskType::kInduction ? "/pairs/3/1" : "/input"], 0);
    // Of an error nothing is hidden but its name, and every other one is refused.
    EXPECT_EQ(compared == 0, type == TaskType::kError);
    // What is asked instead is a task that self-play would take.
    for (const Validated& task : validate(**sandbox, shown)) {
      EXPECT_EQ(task.reason, Reason::kValid) << task.detail << "\n" << task.task.program;
    }
  }
}

// Calls with an argument of another type fail with a TypeError nearly always: an answer that needs
// no look at the program must not solve most problems.
TEST(AzrEnvironments, ErrorsAreOfManyKindsAndValidate) {
  constexpr int kProblems = 64;  // a level
  std::vector<Candidate> candidates;
  const auto environment = environments().environment(TaskType::kError);
  for (const int level : {0, 1, 2, 5}) {
    std::map<std::string, int> names;
    for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
      const auto problem = environment->generate(level, seed);
      ASSERT_TRUE(problem) << problem.error().message;
      const auto task = CodeTask::read_json((*problem)->parameter());
      ASSERT_TRUE(task) << task.error().message;
      EXPECT_EQ(task->output, (*problem)->reference());
      ++names[task->output];
      candidates.push_back({.task = *task, .components = {}});
    }
    EXPECT_GE(names.size(), 5U) << "level " << level;
    for (const auto& [name, count] : names)
      EXPECT_LT(count, 0.42 * kProblems) << name << " at level " << level;
  }
  // What self-play asks of a proposed error task holds for these too.
  const auto sandbox = service()->get();
  ASSERT_TRUE(sandbox);
  const auto results = validate(**sandbox, candidates);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].reason, Reason::kValid) << results[i].detail;
    EXPECT_EQ(results[i].task.output, candidates[i].task.output) << candidates[i].task.program;
  }
}

TEST(AzrEnvironments, SayThatThereIsNoSandbox) {
  sandbox::SandboxConfig broken;
  broken.worker_path = "/no/such/worker";
  const auto without = environments_over(std::make_shared<sandbox::SandboxService>(broken));
  const auto environment = without.environment(TaskType::kDeduction);
  const auto alone = environment->generate(0, 0);
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().fault, GenerationFault::kInternal);
  EXPECT_THAT(alone.error().message, HasSubstr("/no/such/worker"));
  const std::vector<ProblemRequest> requests{{environment.get(), 0, 0}, {environment.get(), 0, 1}};
  for (const Generated& made : generate_all(requests)) {
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, alone.error().message);
  }
}

}  // namespace
}  // namespace redqueen::code_tasks
