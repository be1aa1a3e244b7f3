// The parts that a process works with: its environments, the sandbox for code in Python, and the
// files that come with the program. Made once, by main() or a test, and passed on.
#pragma once

#include <memory>
#include <string_view>

#include "redqueen/code_tasks/solving.h"
#include "redqueen/core/error.h"
#include "redqueen/core/registry.h"
#include "redqueen/engine/resources.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/sandbox_service.h"
#include "redqueen/suites/suite.h"

namespace redqueen {

struct EngineOptions {
  Resources resources;
  sandbox::SandboxConfig sandbox;
  std::filesystem::path code_prompts;       // of the environments azr/*; empty: azr/prompts
  code_tasks::SolvingOptions code_solving;  // of the environments azr/*
};

// A value: copies share registry and sandbox. Thread-safe.
class Engine {
 public:
  // Starts nothing: the sandbox starts when it is first needed. Fails if two environments have one
  // name.
  static Expected<Engine> create(EngineOptions options);

  // The native environments of this program, azr/* and evoenv/written.
  const Registry& registry() const { return *registry_; }
  const Resources& resources() const { return resources_; }
  const std::shared_ptr<sandbox::SandboxService>& sandbox() const { return sandbox_; }

  // suites/suite.h, with what this engine has.
  Expected<Suite> load_suite(std::string_view name) const;

 private:
  Engine() = default;

  Resources resources_;
  std::shared_ptr<sandbox::SandboxService> sandbox_;
  std::shared_ptr<const Registry> registry_;
};

}  // namespace redqueen
