// The [sandbox] table: how what a policy wrote is run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/run/config.h"
#include "redqueen/sandbox/config.h"

namespace redqueen {

// Defaults are those of SandboxConfig; sizes are in the units that people write.
struct SandboxSettings {
  int workers = 0;
  Require require = Require::kStandard;
  double wall_seconds = 10;
  double cpu_seconds = 0;
  std::uint64_t memory_mib = 512;
  std::uint64_t output_kib = 1024;
  int recursion = 1000;
  int warm_hash_seeds = 4;
  std::vector<std::string> preload;
  std::string worker;
  bool use_namespaces = true;
  bool use_landlock = true;
  bool use_cgroup = true;
  std::string cgroup;
  std::uint64_t cgroup_memory_mib = 4096;

  // Names every field; see run/config.h.
  void bind(Settings& settings);
  [[nodiscard]] SandboxConfig config() const;
};

}  // namespace redqueen
