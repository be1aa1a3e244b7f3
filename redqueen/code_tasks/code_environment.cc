#include "redqueen/code_tasks/code_environment.h"
#include "redqueen/code_tasks/program_generator.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <mutex>
#include <utility>

namespace redqueen::code_tasks {

class CodeEnvironments::Core {
 public:
  struct State {
    PromptSet prompts;
    SolvingOptions solving;
    sandbox::Sandbox* sandbox = nullptr;
    std::shared_ptr<sandbox::SandboxService> service;  // keeps the sandbox alive
  };

  Core(std::shared_ptr<sandbox::SandboxService> service, TaskSource source,
       CodeEnvironmentOptions options)
      : service_(std::move(service)), source_(std::move(source)), options_(std::move(options)) {}

  Expected<std::shared_ptr<const State>> state() {
    const std::scoped_lock lock(mutex_);
    if (!state_) {
      ASSIGN_OR_RETURN(auto prompts, PromptSet::load(options_.prompts));
      ASSIGN_OR_RETURN(auto sandbox, service_->get());
      state_ = std::make_shared<const State>(
          State{std::move(prompts), options_.solving, sandbox, service_});
    }
    return state_;
  }

  const TaskSource& source() const { return source_; }

 private:
  std::shared_ptr<sandbox::SandboxService> service_;
  TaskSource source_;
  CodeEnvironmentOptions options_;
  std::mutex mutex_;
  std::shared_ptr<const State> state_;  // guarded by mutex_
};

namespace {

using Core = CodeEnvironments::Core;

constexpr std::string_view kLevels = "Programs grow by statements and depth, inputs by size.";
constexpr std::string_view kRewards =
    "-1: not of the asked form. -0.5: of the asked form but wrong. 1: right.";

const Card& card_of(TaskType type) {
  static const Card kDeduction{
      .name = "azr/deduction",
      .family = Family::kCode,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kExact,
      .task = "Given a Python program and the arguments of a call, say what the call returns.",
      .levels = kLevels,
      .rewards = kRewards,
      .version = 2,
      .max_level = kMaxProgramLevel};
  static const Card kAbduction{
      .name = "azr/abduction",
      .family = Family::kCode,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task = "Given a Python program and a value, find arguments for which it returns the value.",
      .levels = kLevels,
      .rewards = kRewards,
      .small_answer_space =
          "Some operations, such as sorting or changing case, leave their own results as they are, "
          "so that the value shown is also an argument that gives it: for a quarter of the "
          "programs at "
          "level 0 and a fifth at level 2.",
      .guess_until_level = 2,
      .version = 2,
      .max_level = kMaxProgramLevel};
  static const Card kInduction{
      .name = "azr/induction",
      .family = Family::kCode,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task =
          "Given a message and examples of inputs with their outputs, write a Python program "
          "that also maps hidden inputs to their outputs.",
      .levels = kLevels,
      .rewards = kRewards,
      .version = 2,
      .max_level = kMaxProgramLevel};
  static const Card kError{
      .name = "azr/error",
      .family = Family::kCode,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task = "Given a Python program and the arguments of a call that fails, name the exception.",
      .levels =
          "Programs grow by statements and depth, inputs by size; those of level 0 are others of "
          "level 1.",
      .rewards = kRewards,
      .small_answer_space =
          "There are few exceptions, at levels 0 to 8: a TypeError and an AttributeError are right "
          "for "
          "a quarter of the problems each, an IndexError or a ValueError for up to a third.",
      .guess_until_level = 8,
      .version = 2,
      .max_level = kMaxProgramLevel};
  switch (type) {
    case TaskType::kDeduction:
      return kDeduction;
    case TaskType::kAbduction:
      return kAbduction;
    case TaskType::kInduction:
      return kInduction;
    case TaskType::kError:
      break;
  }
  return kError;
}

class CodeProblem final : public Problem {
 public:
  CodeProblem(CodeTask task, std::shared_ptr<const Core::State> state)
      : task_(std::move(task)), state_(std::move(state)) {}

  std::string prompt() const override { return state_->prompts.solve(task_); }
  Json parameter() const override { return task_.write_json(); }
  std::string reference() const override {
    return format_solution(task_.type, task_.reference(), state_->prompts.style());
  }
  Verdict score(std::string_view answer) const override {
    return check_answers(*state_->sandbox, std::array{AnswerCheck{&task_, answer}},
                         state_->solving)[0]
        .verdict();
  }
  const BatchWorker* batch_worker() const override;

  const CodeTask& task() const { return task_; }
  const Core::State& state() const { return *state_; }

  std::string random_answer(Rng& rng) const override {
    const std::int64_t number = rng.integer(-9, 99);
    switch (task_.type) {
      case TaskType::kInduction:
        return fmt::format("def f(*args, **kwargs):\n    return {}", number);
      case TaskType::kError: {
        static constexpr std::array kNames{"ValueError", "TypeError", "KeyError", "IndexError"};
        return std::string(rng.choice(kNames));
      }
      case TaskType::kDeduction:
      case TaskType::kAbduction:
        break;
    }
    return fmt::format("{}", number);
  }

  std::string example() const override { return ""; }

  std::vector<NamedAnswer> shortcuts() const override {
    switch (task_.type) {
      case TaskType::kDeduction:
        return {{"the input again", task_.input}};
      case TaskType::kAbduction:
        return {{"the output as the input", task_.output}};
      case TaskType::kInduction:
        return {{"the argument again", "def f(x, *rest):\n    return x"},
                {"always the first output",
                 fmt::format("def f(*args, **kwargs):\n    return {}", task_.pairs[0].output)}};
      case TaskType::kError:
        break;
    }
    return {{"always a ValueError", "ValueError"}};
  }

 private:
  CodeTask task_;
  std::shared_ptr<const Core::State> state_;
};

Expected<ProblemPtr> make_problem(Core& core, CodeTask task) {
  ASSIGN_OR_RETURN(auto state, core.state());
  return std::make_unique<CodeProblem>(std::move(task), std::move(state));
}

Generated problem_of(Core& core, MadeTask task) {
  if (!task) return tl::make_unexpected(std::move(task.error()));
  auto problem = make_problem(core, std::move(*task));
  if (!problem) {
    return tl::make_unexpected(
        GenerationFailure{GenerationFault::kInternal, std::move(problem.error().message)});
  }
  return std::move(*problem);
}

class CodeEnvironment final : public Environment {
 public:
  CodeEnvironment(TaskType type, std::shared_ptr<Core> core)
      : type_(type), core_(std::move(core)) {}

  const Card& card() const override { return card_of(type_); }

  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits&) const override {
    return problem_of(*core_,
                      core_->source()(std::array{TaskAddress{type_, level, seed, salt}})[0]);
  }
  const BatchWorker* batch_worker() const override;

  TaskType type() const { return type_; }
  Core& core() const { return *core_; }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    ASSIGN_OR_RETURN(auto task, CodeTask::read_json(parameter));
    if (task.type != type_) {
      return failure("type: a task of {} is expected, found {}", name_of(type_),
                     name_of(task.type));
    }
    ASSIGN_OR_RETURN(const auto state, core_->state());
    RETURN_IF_ERROR(check_task(*state->sandbox, task, state->solving));
    return make_problem(*core_, std::move(task));
  }

  Json level_parameter(int level, Rng&) const override { return Json{{"level", level}}; }

 private:
  TaskType type_;
  std::shared_ptr<Core> core_;
};

// Requests that share `key`, by their places.
template <typename Key, typename Request, typename KeyOf>
std::map<Key, std::vector<std::size_t>> group_by(std::span<const Request> requests, KeyOf key_of) {
  std::map<Key, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < requests.size(); ++i) groups[key_of(requests[i])].push_back(i);
  return groups;
}

// All tasks of a source are drawn at once, all answers of a configuration checked at once. It holds
// nothing, so one serves all code environments.
class CodeWorker final : public BatchWorker {
 public:
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits&) const override {
    const auto environment_of = [](const ProblemRequest& request) -> const CodeEnvironment& {
      return static_cast<const CodeEnvironment&>(*request.environment);
    };
    std::vector<Generated> problems(requests.size());
    const auto groups = group_by<Core*>(
        requests, [&](const ProblemRequest& request) { return &environment_of(request).core(); });
    for (const auto& [core, places] : groups) {
      std::vector<TaskAddress> addresses;
      for (const std::size_t place : places) {
        const ProblemRequest& from = requests[place];
        addresses.push_back({environment_of(from).type(), from.level, from.seed, from.salt});
      }
      auto tasks = core->source()(addresses);
      for (std::size_t k = 0; k < places.size(); ++k)
        problems[places[k]] = problem_of(*core, std::move(tasks[k]));
    }
    return problems;
  }

  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    const auto problem = [](const AnswerRequest& request) -> const CodeProblem& {
      return static_cast<const CodeProblem&>(*request.problem);
    };
    std::vector<Verdict> verdicts(requests.size());
    const auto groups = group_by<const Core::State*>(
        requests, [&](const AnswerRequest& request) { return &problem(request).state(); });
    for (const auto& [state, places] : groups) {
      std::vector<AnswerCheck> checks;
      for (const std::size_t place : places)
        checks.push_back({&problem(requests[place]).task(), requests[place].answer});
      const auto checked = check_answers(*state->sandbox, checks, state->solving);
      for (std::size_t k = 0; k < places.size(); ++k) verdicts[places[k]] = checked[k].verdict();
    }
    return verdicts;
  }
};

const CodeWorker kWorker{};

const BatchWorker* CodeProblem::batch_worker() const { return &kWorker; }
const BatchWorker* CodeEnvironment::batch_worker() const { return &kWorker; }

}  // namespace

CodeEnvironments::CodeEnvironments(std::shared_ptr<sandbox::SandboxService> sandbox,
                                   TaskSource source, CodeEnvironmentOptions options)
    : core_(std::make_shared<Core>(std::move(sandbox), std::move(source), std::move(options))) {}

std::unique_ptr<const Environment> CodeEnvironments::environment(TaskType type) const {
  return std::make_unique<CodeEnvironment>(type, core_);
}

Expected<ProblemPtr> CodeEnvironments::problem(CodeTask task) const {
  return make_problem(*core_, std::move(task));
}

}  // namespace redqueen::code_tasks
