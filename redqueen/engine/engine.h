// The parts that a process works with: its environments, the sandbox for code in Python, and the
// files that come with the program. Made once, by main() or a test, and passed on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/registry.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/engine/resources.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/sandbox_service.h"
#include "redqueen/suites/suite.h"

namespace redqueen {

// Environments whose names begin with `family` and a slash.
struct EnvironmentSource {
  std::string family;
  std::function<Status(const std::shared_ptr<sandbox::SandboxService>&, Registry&)> add;
};

struct EngineOptions {
  Resources resources;
  sandbox::SandboxConfig sandbox;
  // Beside the engine's own, or in place of its own of the same family.
  std::vector<EnvironmentSource> sources = {};
  data_sets::DataSetOptions data = {};  // how data sets are loaded
  // The environments in C++: those of this program, or fewer.
  Registry native = Registry::native();
};

// A value: copies share registry and sandbox. Thread-safe.
class Engine {
 public:
  // Starts nothing: the sandbox starts when it is first needed. Fails if two environments have one
  // name, or a source does.
  static Expected<Engine> create(EngineOptions options);

  // EngineOptions::native, azr/*, evoenv/written, arena/* and those of EngineOptions::sources.
  const Registry& registry() const { return *registry_; }
  // EngineOptions::native.
  const Registry& native() const { return *native_; }
  const Resources& resources() const { return resources_; }
  const std::shared_ptr<sandbox::SandboxService>& sandbox() const { return sandbox_; }

  // suites/suite.h, with what this engine has.
  Expected<Suite> load_suite(std::string_view name) const;

 private:
  Engine() = default;

  Resources resources_;
  data_sets::DataSetOptions data_;
  std::shared_ptr<sandbox::SandboxService> sandbox_;
  std::shared_ptr<const Registry> registry_;
  std::shared_ptr<const Registry> native_;
};

}  // namespace redqueen
