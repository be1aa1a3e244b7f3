// Code tasks behind the engine's seam: azr/deduction, azr/abduction and azr/induction are environments like any other,
// for evaluation, export, serving and `redqueen gym`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/recipes/azr/prompts.h"
#include "redqueen/recipes/azr/task.h"
#include "redqueen/recipes/sandbox_service.h"

namespace redqueen {

// Makes the task of an address: the same one for the same arguments. May be called from any thread.
using TaskSource = std::function<tl::expected<CodeTask, GenerationFailure>(
    TaskType type, int level, std::uint64_t seed, std::uint64_t salt)>;

// How answers are marked; see solving.h.
struct CodeEnvironmentOptions {
  std::filesystem::path prompts;  // folder of the templates; empty: configs/azr/prompts
  bool strict_types = false;      // True, 1 and 1.0 differ
  double induction_share = 1.0;   // share of the hidden pairs that must be right
};

// Adds azr/deduction, azr/abduction and azr/induction to the registry. Nothing runs yet: templates are read and the
// sandbox is started when the first problem needs them. Call once, before anything reads the registry.
void register_code_environments(Registry& registry, std::shared_ptr<SandboxService> sandbox,
                                TaskSource source);

// Changes the options of the registered environments; what the settings of a command say. Call before problems are
// made.
void configure_code_environments(const CodeEnvironmentOptions& options);

}  // namespace redqueen
