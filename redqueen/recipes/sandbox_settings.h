// The [sandbox] table: settings for running the programs that a policy wrote.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/run/config.h"
#include "redqueen/run/event_store.h"
#include "redqueen/sandbox/config.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen {

// Defaults are those of SandboxConfig.
struct SandboxSettings {
  int workers = 0;
  sandbox::Require require = sandbox::Require::kStrict;
  sandbox::Limits limits;  // in the file, each in the unit that limits.h gives its setting
  int warm_hash_seeds = 4;
  std::vector<std::string> preload;
  std::string worker;
  std::string data_packages;
  bool use_namespaces = true;
  bool use_landlock = true;
  bool use_cgroup = true;
  std::string cgroup;
  std::uint64_t cgroup_memory_mib = 4096;

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);
  // Without preludes: those are the recipes' (sandbox_config() in recipes.h).
  [[nodiscard]] sandbox::SandboxConfig config() const;
};

// Returns an item of kind "sandbox", with the reason, for each layer that a run's sandbox lacks;
// none where nothing is missing.
std::vector<run::ItemRecord> missing_layer_items(const std::vector<sandbox::LayerState>& layers);

}  // namespace redqueen
