#include "redqueen/recipes/sandbox_settings.h"

#include <array>

#include "redqueen/recipes/azr/syntax_helper.h"
#include "redqueen/sandbox/request.h"
#include "redqueen/synth/harness.h"

namespace redqueen {
namespace {

constexpr std::array kRequirements{Choice{"standard", Require::kStandard},
                                   Choice{"strict", Require::kStrict}};

void bind_limits(Section& section, SandboxSettings& sandbox) {
  section.field("wall_seconds", sandbox.wall_seconds,
                {.help = "Time limit of a call.", .min = kLeastWallSeconds, .max = kMostSeconds});
  section.field("cpu_seconds", sandbox.cpu_seconds,
                {.help = "CPU limit of a call; 0: only the time limit counts.",
                 .min = 0,
                 .max = kMostSeconds});
  section.field("memory_mib", sandbox.memory_mib,
                {.help = "Memory of a child beyond the interpreter's own.",
                 .min = kLeastMemoryMib,
                 .max = kMostMemoryMib});
  section.field("output_kib", sandbox.output_kib,
                {.help = "Of stdout, of stderr and of the value's text, each.",
                 .min = 1,
                 .max = kMostOutputKib});
  section.field(
      "recursion", sandbox.recursion,
      {.help = "Python's recursion limit.", .min = kLeastRecursion, .max = kMostRecursion});
}

void bind_layers(Section& section, SandboxSettings& sandbox) {
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

}  // namespace

void SandboxSettings::bind(Settings& settings) {
  Section section =
      settings.section("sandbox", "Where what the policy wrote runs; `redqueen doctor` shows it.");
  section.field("workers", workers,
                {.help = "Jobs at a time; 0: one per core.", .min = 0, .max = 1024});
  section.choice<Require>(
      "require", require, kRequirements,
      "Least isolation to start with; strict: namespaces and Landlock as well.");
  bind_limits(section, *this);
  section.field(
      "warm_hash_seeds", warm_hash_seeds,
      {.help = "Hash seeds for which each worker keeps an interpreter warm.", .min = 1, .max = 64});
  section.field("preload", preload,
                {.help = "Modules imported once, before any job; empty: those of the profiles."});
  section.field("worker", worker,
                {.help = "The program redqueen-sandbox-worker; empty: beside this one."});
  bind_layers(section, *this);
}

SandboxConfig SandboxSettings::config() const {
  SandboxConfig config;
  config.workers = workers;
  config.require = require;
  config.limits = {.wall_seconds = wall_seconds,
                   .cpu_seconds = cpu_seconds,
                   .memory_bytes = memory_mib << 20,
                   .output_bytes = output_kib << 10,
                   .recursion = recursion};
  config.warm_hash_seeds = warm_hash_seeds;
  config.preload = preload;
  config.preludes = harness_preludes();
  config.preludes.emplace_back(syntax_helper_source());
  config.worker_path = worker;
  config.cgroup = cgroup;
  config.cgroup_memory_bytes = cgroup_memory_mib << 20;
  config.use_namespaces = use_namespaces;
  config.use_landlock = use_landlock;
  config.use_cgroup = use_cgroup;
  return config;
}

}  // namespace redqueen
