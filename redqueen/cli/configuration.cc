#include "redqueen/cli/configuration.h"

#include <atomic>
#include <set>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text.h"
#include "redqueen/checkpoint/source/hub.h"
#include "redqueen/checkpoint/source/model_files.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/session/own_settings.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

Expected<fs::path> find_configuration(const std::string& name, const Resources& resources) {
  for (const fs::path& candidate :
       {fs::path(name), resources.find(name), resources.find(name + ".toml")}) {
    if (is_file(candidate)) return candidate;
  }
  if (name.find('/') != std::string::npos || name.ends_with(".toml"))
    return name;  // the reader says that it is not there
  const std::vector<std::string> names = configuration_names(resources);
  if (names.empty()) {
    return usage_error(
        "there is no configuration \"{}\", nor any other: no folder of configurations lies where "
        "the "
        "program looks for it; name it by --configs DIR, or give the path of a file",
        name);
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return usage_error("there is no configuration \"{}\"{}; there are {}", name,
                     did_you_mean(name, views), fmt::join(names, ", "));
}

// A policy of the Hub is brought into the local cache, and named by its commit from then on.
Status fetch_policy(run::Config& config, const Resources& resources) {
  TrainSettings given;
  run::Settings settings(config);
  given.declare(settings, recipes());
  const std::string& path = given.policy.path;
  if (!hub_name(path)) return {};
  static const std::atomic<bool> never{false};
  ASSIGN_OR_RETURN(const std::string fetched,
                   fetch_from_hub(path, model_python(resources.source_tree()), never));
  return config.set("policy.path=" + fetched);
}

// Defaults of training without a GPU, where no configuration is named: what the declared ones,
// which are for GPUs, would hold of activations and caches is more than such a machine has.
Status put_machine_below(run::Config& config) {
  TrainSettings given;
  run::Settings settings(config);
  given.declare(settings, recipes());
  const std::string& device = given.policy.device;
  if (device == "cuda" || (device == "auto" && is_there("/dev/nvidiactl"))) return {};
  run::Config below;
  RETURN_IF_ERROR(below.set("train.micro_batch_tokens=2048"));
  RETURN_IF_ERROR(below.set("policy.max_rows=64"));
  config.put_below(below);
  return {};
}

// The policy's folder speaks where the configuration says nothing. Wrong values are told later,
// with those of the whole.
Status put_own_settings_below(run::Config& config) {
  TrainSettings given;
  run::Settings settings(config);
  given.declare(settings, recipes());
  ASSIGN_OR_RETURN(const auto own, read_own_settings(given.policy.path));
  config.put_below(own);
  return {};
}

}  // namespace

void ConfigurationOptions::add_to(Command command) {
  command.add_option("--config", file, "TOML file, or the name of one in configs/");
  command
      .add_option("--set", assignments,
                  "Override a field: --set train.learning_rate=1e-4; may be repeated")
      .one_value_each();
}

Expected<ResolvedConfiguration> resolve(const ConfigurationOptions& options,
                                        const Resources& resources) {
  run::Config config;
  if (!options.file.empty()) {
    ASSIGN_OR_RETURN(const fs::path file, find_configuration(options.file, resources));
    ASSIGN_OR_RETURN(auto loaded, run::Config::load(file));
    config = std::move(loaded);
  }
  for (const std::string& assignment : options.assignments) {
    RETURN_IF_ERROR(config.set(assignment));
  }
  for (const auto& flag : options.flags) RETURN_IF_ERROR(config.set(flag.assignment, flag.name));
  RETURN_IF_ERROR(fetch_policy(config, resources));
  run::Config defaults;
  for (const std::string& assignment : options.defaults) RETURN_IF_ERROR(defaults.set(assignment));
  config.put_below(defaults);
  RETURN_IF_ERROR(put_own_settings_below(config));
  if (options.file.empty()) RETURN_IF_ERROR(put_machine_below(config));
  ResolvedConfiguration resolved;
  run::Settings settings(config);
  resolved.settings.declare(settings, recipes());
  RETURN_IF_ERROR(settings.finish());
  resolved.toml = settings.to_toml();
  return resolved;
}

std::vector<std::string> configuration_names(const Resources& resources) {
  std::set<std::string> names;
  for (const fs::path& folder : resources.folders()) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

Expected<Engine> make_engine(const TrainSettings& settings, const Resources& resources) {
  return Engine::create(engine_options(settings, resources));
}

Expected<Engine> make_engine(const Resources& resources) {
  return Engine::create({.resources = resources});
}

Expected<Engine> make_engine(const ConfigurationOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(options, resources));
  return make_engine(resolved.settings, resources);
}

Expected<sandbox::SandboxConfig> resolve_sandbox(const ConfigurationOptions& options,
                                                 const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(options, resources));
  return sandbox_config(resolved.settings);
}

Expected<std::vector<const Environment*>> find_environments(const Registry& registry,
                                                            const std::vector<std::string>& names) {
  if (names.empty()) return registry.all();
  std::vector<const Environment*> environments;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(environments.emplace_back(), registry.get(name));
  }
  return environments;
}

}  // namespace redqueen
