#include "redqueen/cli/configuration.h"

#include "redqueen/recipes/azr/code_environment.h"
#include "redqueen/recipes/sandbox_service.h"
#include "redqueen/recipes/suite.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

fs::path find_configuration(const std::string& name) {
  const fs::path folder = configs_folder();
  for (const fs::path& candidate : {fs::path(name), folder / name, folder / (name + ".toml")}) {
    if (fs::is_regular_file(candidate)) return candidate;
  }
  return name;  // the reader says that it is not there
}

}  // namespace

void ConfigurationOptions::add_to(CLI::App& command) {
  command.add_option("--config", file, "TOML file, or the name of one in configs/");
  command
      .add_option("--set", assignments,
                  "Override a field: --set train.learning_rate=1e-4; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
}

Expected<ResolvedConfiguration> resolve(const ConfigurationOptions& options) {
  Config config;
  if (!options.file.empty()) {
    auto loaded = Config::load(find_configuration(options.file));
    if (!loaded) return tl::make_unexpected(loaded.error());
    config = std::move(*loaded);
  }
  for (const std::string& assignment : options.assignments) {
    if (Status status = config.set(assignment); !status) return tl::make_unexpected(status.error());
  }
  ResolvedConfiguration resolved;
  Settings settings(config);
  resolved.settings.bind(settings);
  if (Status status = settings.finish(); !status) return tl::make_unexpected(status.error());
  resolved.toml = settings.to_toml();
  process_sandbox(resolved.settings.sandbox.config());
  if (const auto environments = registered_code_environments()) {
    const AzrSettings& azr = resolved.settings.azr;
    environments->configure({.prompts = azr.prompts_folder(), .solving = azr.solving()});
  }
  return resolved;
}

}  // namespace redqueen
