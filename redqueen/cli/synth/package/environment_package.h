// Writes environments for other trainers: a Python package of its own in the form that a trainer
// knows, or problems as a data set. Nothing in them needs RedQueen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/sandbox/sandbox.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen {

enum class PackageForm {
  kVerifiers,     // a taskset of verifiers
  kReasoningGym,  // data sets of reasoning-gym
  kDataset,       // one JSON object a line: environment, level, seed, prompt, answer
};

struct PackageOptions {
  PackageForm form = PackageForm::kDataset;
  std::filesystem::path out;  // a folder that there is not, or the data set's file
  std::vector<int> levels{0, 1, 2, 3, 4};
  int problems = 20;  // of each environment and level
  std::uint64_t seed = 0;
};

// Fails if `out` is there already, or an environment can make no problem. The problems of an
// environment, level and seed are the same each time.
Status write_environment_package(sandbox::Sandbox& sandbox,
                                 std::span<const synth::EnvironmentRecord> records,
                                 const PackageOptions& options);

}  // namespace redqueen
