// Named collections of environments: configs/suites/NAME.toml.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/core/error.h"

namespace redqueen {

struct Suite {
  std::string name;
  std::vector<const Environment*> environments;  // those of this build, by name
  std::vector<std::string> missing;              // listed, but not of this build
  std::vector<int> levels;  // what the suite is evaluated on; empty: up to the caller
  int problems = 0;         // a suite's own number per environment; 0: up to the caller
};

// The folder configs/ of this installation: $REDQUEEN_CONFIGS, or the one of the source tree.
std::filesystem::path configs_folder();

// `name` is a suite of configs/suites, the path of a .toml file, one environment's name, or several
// separated by commas. Fails if there is no such thing, or none of its environments is at hand.
Expected<Suite> load_suite(std::string_view name);

// One sentence about what a suite lists and this build lacks; empty if nothing.
std::string missing_warning(const Suite& suite);

}  // namespace redqueen
