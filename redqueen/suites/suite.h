// Named collections of environments: configs/suites/NAME.toml, or environments that lie in files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen {

// An environment that is not of this build.
struct OwnedEnvironment {
  std::shared_ptr<const Environment> environment;
  std::filesystem::path file = {};  // or the folder or the pool that it came from, in full
};

// A value: copies share what they own.
struct Suite {
  std::string name;
  std::vector<const Environment*> environments;  // those of this build, by name
  std::vector<double> weights;       // of training's draws, as environments; empty: all the same
  std::vector<std::string> missing;  // listed, but not of this build
  std::vector<int> levels;           // what the suite is evaluated on; empty: up to the caller
  int problems = 0;                  // a suite's own number per environment; 0: up to the caller
  bool distinct = false;             // no problem of an environment is evaluated on twice
  AnswerReading reading = AnswerReading::kStrict;  // of answers, where the suite is evaluated

  // Environments that are not of this build, and the sandbox they run in, which goes last.
  std::shared_ptr<sandbox::SandboxService> sandbox = {};
  std::vector<OwnedEnvironment> owned = {};
};

// The places from which suites take environments.
struct SuiteSources {
  const Registry& registry;
  std::vector<std::filesystem::path> folders;  // of NAME.toml; the first that has a name counts
  std::shared_ptr<sandbox::SandboxService> sandbox;  // of environments that lie in files
  data_sets::DataSetOptions data = {};               // how files of rows are loaded
};

// `name` is a suite of the folders, the path of a .toml file, one environment's name, or several
// separated by commas; or the path of Python environments: a file, an environment's folder, a
// pool, or a run with a pool (synth/environment_folder.h); or that of a data set, a .jsonl file
// (data_sets/rows.h), or of a .json file of problems with their statements (problem_file.h).
// Behind a name, ":published" chooses the generators of RLVE-Gym, ":hardened" those of this build,
// and ":hardened=0.9" both, with that share of the second. A suite's file lists environments; or it
// selects those of this build that are published, of a family, or both; or it lists parts that are
// whatever `name` may be (paths relative to the file), with a weight each, which a part's
// environments share. Fails if there is no such thing, or none of its environments is at hand.
Expected<Suite> load_suite(std::string_view name, const SuiteSources& sources);

// One sentence about what a suite lists and this build lacks; empty if nothing.
std::string missing_warning(const Suite& suite);

}  // namespace redqueen
