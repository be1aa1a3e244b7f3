// redqueen config: the configurations that there are, and every setting with its meaning.

#include <set>

#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"

namespace redqueen {
namespace {

struct ConfigListOptions {};

// The first comment of a file, without its mark.
std::string summary_of(const std::string& text) {
  if (!text.starts_with("# ")) return {};
  return text.substr(2, text.find('\n') - 2);
}

Status config_list(const ConfigListOptions&, const Resources& resources) {
  for (const std::string& name : configuration_names(resources)) {
    const auto text = read_text_file(resources.find(name + ".toml"));
    if (!text) return tl::make_unexpected(text.error());
    fmt::print("{:<20} {}\n", name, summary_of(*text));
  }
  return {};
}

struct ConfigShowOptions {
  ConfigurationOptions configuration;
  std::string name;
};

Status config_show(ConfigShowOptions options, const Resources& resources) {
  if (!options.name.empty()) options.configuration.file = options.name;
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  fmt::print("{}", resolved.toml);
  return {};
}

}  // namespace

void add_config(Command app) {
  Command config = app.add_subcommand("config", "Look at configurations and settings");
  config.require_subcommand();
  {
    Command command = config.add_subcommand("list", "The configurations that --config takes");
    command.set_work(std::make_shared<ConfigListOptions>(), config_list);
  }
  {
    Command command = config.add_subcommand(
        "show", "Every setting with its meaning and its value: the default, or a configuration's");
    auto options = std::make_shared<ConfigShowOptions>();
    command.add_option("name", options->name, "A configuration, as --config takes it");
    options->configuration.add_to(command);
    command.set_work(options, config_show);
  }
}

}  // namespace redqueen
