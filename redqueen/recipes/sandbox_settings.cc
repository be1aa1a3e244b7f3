#include "redqueen/recipes/sandbox_settings.h"

namespace redqueen {
namespace {

constexpr auto kRequirements = enum_names<sandbox::Require>(
    {{"standard", sandbox::Require::kStandard}, {"strict", sandbox::Require::kStrict}});

constexpr double kMostMemoryMib =
    static_cast<double>(sandbox::limit_of(&sandbox::Limits::memory_bytes).most_setting());

void declare_limits(run::Section& section, sandbox::Limits& limits) {
  sandbox::for_each_limit([&](const auto& limit) {
    auto setting = limits.*limit.member / limit.unit;
    section.field(limit.setting, setting,
                  {.help = limit.help,
                   .min = static_cast<double>(limit.least_setting()),
                   .max = static_cast<double>(limit.most_setting())});
    limits.*limit.member = setting * limit.unit;
  });
}

void declare_layers(run::Section& section, SandboxSettings& sandbox) {
  section.field("use_namespaces", sandbox.use_namespaces,
                {.help = "Kernel namespaces and a private root, where the machine gives them."});
  section.field("use_landlock", sandbox.use_landlock, {.help = "Landlock, likewise."});
  section.field("use_cgroup", sandbox.use_cgroup,
                {.help = "A cgroup v2 around every worker, likewise."});
  section.field("cgroup", sandbox.cgroup,
                {.help = "A delegated cgroup v2 folder without processes; empty: beside our own."});
  section.field(
      "cgroup_memory_mib", sandbox.cgroup_memory_mib,
      {.help = "Memory of one worker with all its children.", .min = 64, .max = kMostMemoryMib});
}

void tell_missing_layers(const std::string& layers) {
  fmt::print(stderr,
             "redqueen: the sandbox runs with less isolation than it could have; `redqueen doctor` "
             "says how to mend that\n{}\n",
             layers);
}

}  // namespace

void SandboxSettings::declare(run::Settings& settings) {
  run::Section section =
      settings.section("sandbox", "Where what the policy wrote runs; `redqueen doctor` shows it.");
  section.field("workers", workers,
                {.help = "Jobs at a time; 0: one per core.", .min = 0, .max = 1024});
  section.choice("require", require, kRequirements,
                 "Least isolation to start with; standard: without namespaces or Landlock, too.");
  declare_limits(section, limits);
  section.field(
      "warm_hash_seeds", warm_hash_seeds,
      {.help = "Hash seeds for which each worker keeps an interpreter warm.", .min = 1, .max = 64});
  section.field("preload", preload,
                {.help = "Modules imported once, before any job; empty: those of the profiles."});
  section.field("worker", worker,
                {.help = "The program redqueen-sandbox-worker; empty: beside this one."});
  section.field("data_packages", data_packages,
                {.help = "Folder of Python packages with numpy, for the profile data; empty: the "
                         "system's."});
  declare_layers(section, *this);
}

sandbox::SandboxConfig SandboxSettings::config() const {
  sandbox::SandboxConfig config;
  config.workers = workers;
  config.require = require;
  config.limits = limits;
  config.warm_hash_seeds = warm_hash_seeds;
  config.preload = preload;
  config.worker_path = worker;
  config.data_packages = data_packages;
  config.cgroup = cgroup;
  config.cgroup_memory_bytes = cgroup_memory_mib << 20;
  config.use_namespaces = use_namespaces;
  config.use_landlock = use_landlock;
  config.use_cgroup = use_cgroup;
  config.on_missing_layers = tell_missing_layers;
  return config;
}

std::vector<run::ItemRecord> missing_layer_items(const std::vector<sandbox::LayerState>& layers) {
  std::vector<run::ItemRecord> items;
  for (const sandbox::LayerState& layer : layers) {
    if (sandbox::missing_layers({layer}).empty()) continue;
    items.push_back({.kind = "sandbox",
                     .name = layer.name,
                     .fate = std::string(name_of(layer.state)),
                     .data = {{"why", layer.why}}});
  }
  return items;
}

}  // namespace redqueen
