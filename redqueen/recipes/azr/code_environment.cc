#include "redqueen/recipes/azr/code_environment.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "redqueen/recipes/suite.h"

namespace redqueen {

// Options may change while problems of the old ones live, so problems hold what they were made with.
class CodeEnvironments::Core {
 public:
  struct State {
    PromptSet prompts;
    SolvingOptions solving;
    Sandbox* sandbox = nullptr;
    std::shared_ptr<SandboxService> service;  // keeps the sandbox alive
  };

  Core(std::shared_ptr<SandboxService> service, TaskSource source)
      : service_(std::move(service)), source_(std::move(source)) {}

  void configure(const CodeEnvironmentOptions& options) {
    const std::scoped_lock lock(mutex_);
    options_ = options;
    state_.reset();
  }

  Expected<std::shared_ptr<const State>> state() {
    const std::scoped_lock lock(mutex_);
    if (!state_) {
      auto prompts = PromptSet::load(options_.prompts.empty() ? configs_folder() / "azr" / "prompts"
                                                              : options_.prompts);
      if (!prompts) return tl::make_unexpected(prompts.error());
      auto sandbox = service_->get();
      if (!sandbox) return tl::make_unexpected(sandbox.error());
      state_ = std::make_shared<const State>(
          State{std::move(*prompts), options_.solving, *sandbox, service_});
    }
    return state_;
  }

  const TaskSource& source() const { return source_; }

 private:
  std::shared_ptr<SandboxService> service_;
  TaskSource source_;
  std::mutex mutex_;
  CodeEnvironmentOptions options_;
  std::shared_ptr<const State> state_;
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
      .rewards = kRewards};
  static const Card kAbduction{
      .name = "azr/abduction",
      .family = Family::kCode,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task = "Given a Python program and a value, find arguments for which it returns the value.",
      .levels = kLevels,
      .rewards = kRewards};
  static const Card kInduction{
      .name = "azr/induction",
      .family = Family::kCode,
      .answer = AnswerKind::kOther,
      .scoring = Scoring::kFeasibility,
      .task =
          "Given a message and examples of inputs with their outputs, write a Python program "
          "that also maps hidden inputs to their outputs.",
      .levels = kLevels,
      .rewards = kRewards};
  static const Card kError{
      .name = "azr/error",
      .family = Family::kCode,
      .answer = AnswerKind::kString,
      .scoring = Scoring::kExact,
      .task = "Given a Python program and the arguments of a call that fails, name the exception.",
      .levels = kLevels,
      .rewards = kRewards};
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
  auto state = core.state();
  if (!state) return tl::make_unexpected(state.error());
  return std::make_unique<CodeProblem>(std::move(task), std::move(*state));
}

class CodeEnvironment final : public Environment {
 public:
  CodeEnvironment(TaskType type, std::shared_ptr<Core> core)
      : type_(type), core_(std::move(core)) {}

  const Card& card() const override { return card_of(type_); }

  tl::expected<ProblemPtr, GenerationFailure> generate(int level, std::uint64_t seed,
                                                       std::uint64_t salt,
                                                       const GenerationLimits&) const override {
    if (level > card().max_level) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("{} has no level {}", card().name, level)});
    }
    auto task = core_->source()(type_, level, seed, salt);
    if (!task) return tl::make_unexpected(task.error());
    auto problem = make_problem(*core_, std::move(*task));
    if (!problem) {
      return tl::make_unexpected(
          GenerationFailure{GenerationFault::kInternal, problem.error().message});
    }
    return std::move(*problem);
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    auto task = CodeTask::read_json(parameter);
    if (!task) return tl::make_unexpected(task.error());
    if (task->type != type_) {
      return failure("type: a task of {} is expected, found {}", name_of(type_),
                     name_of(task->type));
    }
    return make_problem(*core_, std::move(*task));
  }

  Json level_parameter(int level, Rng&) const override { return Json{{"level", level}}; }

 private:
  TaskType type_;
  std::shared_ptr<Core> core_;
};

std::shared_ptr<CodeEnvironments>& registered() {
  static std::shared_ptr<CodeEnvironments> environments;
  return environments;
}

}  // namespace

CodeEnvironments::CodeEnvironments(std::shared_ptr<SandboxService> sandbox, TaskSource source)
    : core_(std::make_shared<Core>(std::move(sandbox), std::move(source))) {}

void CodeEnvironments::configure(const CodeEnvironmentOptions& options) {
  core_->configure(options);
}

std::unique_ptr<const Environment> CodeEnvironments::environment(TaskType type) const {
  return std::make_unique<CodeEnvironment>(type, core_);
}

Expected<ProblemPtr> CodeEnvironments::problem(CodeTask task) const {
  return make_problem(*core_, std::move(task));
}

std::shared_ptr<CodeEnvironments> register_code_environments(
    Registry& registry, std::shared_ptr<SandboxService> sandbox, TaskSource source) {
  auto environments = std::make_shared<CodeEnvironments>(std::move(sandbox), std::move(source));
  for (const TaskType type : kTaskTypes) registry.add(environments->environment(type));
  return registered() = environments;
}

std::shared_ptr<CodeEnvironments> registered_code_environments() { return registered(); }

}  // namespace redqueen
