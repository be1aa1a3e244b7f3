// Code tasks behind the engine's seam: azr/deduction, azr/abduction, azr/induction and azr/error are environments like any
// other, for evaluation, export, serving and `redqueen gym`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/recipes/azr/prompts.h"
#include "redqueen/recipes/azr/solving.h"
#include "redqueen/recipes/azr/task.h"
#include "redqueen/recipes/sandbox_service.h"

namespace redqueen {

// Makes the task of an address: the same one for the same arguments. Called from any thread.
using TaskSource = std::function<tl::expected<CodeTask, GenerationFailure>(
    TaskType type, int level, std::uint64_t seed, std::uint64_t salt)>;

struct CodeEnvironmentOptions {
  std::filesystem::path prompts;  // folder of the templates; empty: configs/azr/prompts
  SolvingOptions solving;
};

// What the code environments of a process share. Its options change between commands, not while problems are in use.
class CodeEnvironments {
 public:
  CodeEnvironments(std::shared_ptr<SandboxService> sandbox, TaskSource source);

  // For problems made from now on.
  void configure(const CodeEnvironmentOptions& options);

  // "azr/deduction" and so on; may outlive this object.
  [[nodiscard]] std::unique_ptr<const Environment> environment(TaskType type) const;

  // The problem of a task that validation.h let pass. Fails where the sandbox or the templates do.
  [[nodiscard]] Expected<ProblemPtr> problem(CodeTask task) const;

  class Core;

 private:
  std::shared_ptr<Core> core_;
};

// Adds an environment for every type of task to the registry. Nothing runs yet: templates are read and the sandbox is
// started when the first problem needs them. Call once, before anything reads the registry. The result configures them.
std::shared_ptr<CodeEnvironments> register_code_environments(
    Registry& registry, std::shared_ptr<SandboxService> sandbox, TaskSource source);

// Those that register_code_environments made; nullptr before.
std::shared_ptr<CodeEnvironments> registered_code_environments();

}  // namespace redqueen
