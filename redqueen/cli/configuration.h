// --config and --set, which several sub-commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

struct ConfigurationOptions {
  std::string file;
  std::vector<std::string> assignments;

  void add_to(CLI::App& command);
};

// What was resolved, and its text for the run's directory.
struct ResolvedConfiguration {
  TrainSettings settings;
  std::string toml;
};

// The file, then the assignments; every field that neither names keeps its default. A file that is not found is looked
// for in configs/, with and without .toml.
Expected<ResolvedConfiguration> resolve(const ConfigurationOptions& options);

}  // namespace redqueen
