// The environment that a command's argument names: one of this build, or of a path.
#pragma once

#include <string>

#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"
#include "redqueen/engine/engine.h"

namespace redqueen {

struct FoundEnvironment {
  const Environment* environment = nullptr;
  Suite owner;  // of a path's environments
};

// `name` is a name of the registry, or the path of one environment.
Expected<FoundEnvironment> find_environment(const Engine& engine, const std::string& name);

inline constexpr const char* kEnvironmentHelp =
    "Environment: its name, a Python file, or an environment's folder";

}  // namespace redqueen
