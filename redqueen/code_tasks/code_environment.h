// Code tasks behind the engine's seam: azr/deduction, azr/abduction, azr/induction and azr/error
// are environments like any other, for evaluation, export, serving and `redqueen gym`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "redqueen/code_tasks/prompts.h"
#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/task.h"
#include "redqueen/core/environment.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen::code_tasks {

// The origin of a task.
struct TaskAddress {
  TaskType type = TaskType::kDeduction;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

using MadeTask = tl::expected<CodeTask, GenerationFailure>;

// Makes the tasks of addresses, in their order: the same task for the same address, whatever else
// is asked for. Called from any thread.
using TaskSource = std::function<std::vector<MadeTask>(std::span<const TaskAddress>)>;

struct CodeEnvironmentOptions {
  std::filesystem::path prompts;  // folder of the templates
  SolvingOptions solving;
};

// Code environments share this. It reads templates and starts the sandbox when the first problem
// needs them.
class CodeEnvironments {
 public:
  CodeEnvironments(std::shared_ptr<sandbox::SandboxService> sandbox, TaskSource source,
                   CodeEnvironmentOptions options);

  // "azr/deduction" and so on; may outlive this object.
  [[nodiscard]] std::unique_ptr<const Environment> environment(TaskType type) const;

  // The problem of a task that validation.h let pass. Fails where the sandbox or the templates do.
  [[nodiscard]] Expected<ProblemPtr> problem(CodeTask task) const;

  class Core;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace redqueen::code_tasks
