// Imports environments that others made into a pool: keeps what their cards claim, and validates
// again what can be tested.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/environment_folder.h"
#include "redqueen/synth/validation/validation.h"

namespace redqueen::synth {

// RUN/pool of a run; any other path is itself the pool.
std::filesystem::path pool_of(const std::filesystem::path& path);

// The environments of a pool, of a run, or the one whose folder `path` is; in the order of their
// names, hidden ones left out. A pool may be empty.
Expected<std::vector<std::filesystem::path>> environment_folders(const std::filesystem::path& path);

// The outcome of importing one environment.
struct ImportedEnvironment {
  std::string name;              // as the environment says, or its path where it has no card
  std::filesystem::path folder;  // in the pool; empty: refused
  std::string reason;            // why it was refused
};

using ImportedEnvironments = std::vector<ImportedEnvironment>;

// Validates the environments of `from`, which is a Python file, an environment's folder, a pool or
// a run, and writes those that are sound into `pool`. One whose name the pool has is refused.
Expected<ImportedEnvironments> import_environments(sandbox::Sandbox& sandbox,
                                                   const std::filesystem::path& from,
                                                   const std::filesystem::path& pool,
                                                   const ValidationOptions& options);

}  // namespace redqueen::synth
