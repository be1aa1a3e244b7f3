// --config and --set, which several sub-commands share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/cli/command.h"
#include "redqueen/engine/engine.h"
#include "redqueen/recipes/settings.h"

namespace redqueen {

struct ConfigurationOptions {
  // An assignment that a flag stands for: {"--recipe", "run.recipe=evoenv"}.
  struct Flag {
    std::string name;
    std::string assignment;
  };

  std::string file;
  std::vector<std::string> assignments;
  std::vector<Flag> flags = {};  // win over the assignments
  // Assignments of a command that stand where neither file nor assignments say anything.
  std::vector<std::string> defaults = {};

  void add_to(Command command);
};

// The resolved settings, and their text for the run's directory.
struct ResolvedConfiguration {
  TrainSettings settings;
  std::string toml;
};

// The file, then the assignments, then the flags; a field that none names is as the command's
// defaults say, else as the policy's folder does, else at its default. A file that is not found is
// looked for among the resources, with and without .toml.
Expected<ResolvedConfiguration> resolve(const ConfigurationOptions& options,
                                        const Resources& resources);

// The names that --config takes besides paths, sorted.
std::vector<std::string> configuration_names(const Resources& resources);

// The engine of a command: as settings say, or with every setting at its default.
Expected<Engine> make_engine(const TrainSettings& settings, const Resources& resources);
Expected<Engine> make_engine(const Resources& resources);
// Makes the engine of the settings that the command line names: resolve(), then the above.
Expected<Engine> make_engine(const ConfigurationOptions& options, const Resources& resources);

// Returns the configuration of the sandbox that a command starts for itself.
Expected<sandbox::SandboxConfig> resolve_sandbox(const ConfigurationOptions& options,
                                                 const Resources& resources);

// The environments of the registry with these names; all of them where no name is given.
Expected<std::vector<const Environment*>> find_environments(const Registry& registry,
                                                            const std::vector<std::string>& names);

}  // namespace redqueen
