// Named collections of environments: configs/suites/NAME.toml, or environments that lie in files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/error.h"
#include "redqueen/recipes/sandbox_service.h"

namespace redqueen {

// A value: copies share what they own.
struct Suite {
  std::string name;
  std::vector<const Environment*> environments;  // those of this build, by name
  std::vector<std::string> missing;              // listed, but not of this build
  std::vector<int> levels;  // what the suite is evaluated on; empty: up to the caller
  int problems = 0;         // a suite's own number per environment; 0: up to the caller

  // Environments that are not of this build, and the sandbox they run in, which goes last.
  std::shared_ptr<SandboxService> sandbox = {};
  std::vector<std::shared_ptr<const Environment>> owned = {};
};

// The folder configs/ of this installation: $REDQUEEN_CONFIGS, or the one of the source tree.
std::filesystem::path configs_folder();

// `name` is a suite of configs/suites, the path of a .toml file, one environment's name, or several
// separated by commas; or the path of Python environments: a file, an environment's folder, a pool, or a run with a pool
// (synth/environment_folder.h). These run in `sandbox`, by default in that of the process. Fails if there is no such thing,
// or none of its environments is at hand.
Expected<Suite> load_suite(std::string_view name, std::shared_ptr<SandboxService> sandbox = {});

// One sentence about what a suite lists and this build lacks; empty if nothing.
std::string missing_warning(const Suite& suite);

}  // namespace redqueen
