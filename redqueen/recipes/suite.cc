#include "redqueen/recipes/suite.h"

#include <fmt/ranges.h>
#include <algorithm>

#include <cstdlib>

#include "redqueen/core/registry.h"
#include "redqueen/core/text.h"
#include "redqueen/run/config.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

Expected<Suite> read_file(std::string name, const fs::path& path) {
  auto config = Config::load(path);
  if (!config) return tl::make_unexpected(config.error());
  Settings settings(*config);
  Section root = settings.section("");
  std::vector<std::string> names;
  Suite suite{.name = std::move(name)};
  root.field("environments", names, {.help = "Names of the environments."});
  root.field("levels", suite.levels, {.help = "Levels that the suite is evaluated on.", .min = 0});
  root.field("problems", suite.problems, {.help = "Problems per environment.", .min = 0});
  if (const Status sound = settings.finish(); !sound) return tl::make_unexpected(sound.error());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& environment : names) {
    if (const Environment* found = Registry::instance().find(environment)) {
      suite.environments.push_back(found);
    } else {
      suite.missing.push_back(std::move(environment));
    }
  }
  if (suite.environments.empty()) {
    return failure("{}: none of its {} environments is part of this build", path.string(),
                   suite.missing.size());
  }
  return suite;
}

Expected<Suite> of_names(std::string_view text) {
  Suite suite{.name = std::string(text)};
  for (const std::string& name : split_commas(text)) {
    const auto environment = Registry::instance().get(name);
    if (!environment) return tl::make_unexpected(environment.error());
    suite.environments.push_back(*environment);
  }
  return suite;
}

Expected<Suite> of_path(fs::path path, std::shared_ptr<SandboxService> service) {
  if (!path.has_filename()) path = path.parent_path();  // "pool/"
  if (fs::is_regular_file(path / "run.db")) path /= "pool";
  if (!service) service = process_sandbox();
  const auto sandbox = service->get();
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  auto environments = load_python_environments(path, **sandbox);
  if (!environments) return tl::make_unexpected(environments.error());
  Suite suite{.name = path.stem().string(), .sandbox = std::move(service)};
  for (auto& environment : *environments) {
    suite.environments.push_back(environment.get());
    suite.owned.push_back(std::move(environment));
  }
  return suite;
}

}  // namespace

fs::path configs_folder() {
  const char* folder = std::getenv("REDQUEEN_CONFIGS");
  return folder != nullptr ? fs::path(folder) : fs::path(REDQUEEN_SOURCE_DIR) / "configs";
}

Expected<Suite> load_suite(std::string_view name, std::shared_ptr<SandboxService> sandbox) {
  const fs::path given(name);
  if (given.extension() == ".toml") return read_file(given.stem().string(), given);
  const fs::path folder = configs_folder() / "suites";
  const fs::path named = folder / fmt::format("{}.toml", name);
  if (!name.empty() && fs::exists(named)) return read_file(std::string(name), named);
  if (name.find(',') != std::string_view::npos || Registry::instance().find(name) != nullptr)
    return of_names(name);
  if (fs::is_directory(given) || (given.extension() == ".py" && fs::exists(given)))
    return of_path(given, std::move(sandbox));
  std::string known;
  std::error_code ignored;
  std::vector<std::string> stems;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    stems.push_back(entry.path().stem().string());
  std::ranges::sort(stems);
  for (const std::string& stem : stems) known += (known.empty() ? "" : ", ") + stem;
  std::vector<std::string_view> names(stems.begin(), stems.end());
  for (const Environment* environment : Registry::instance().all())
    names.push_back(environment->name());
  return usage_error(
      "there is no suite or environment \"{}\"{}; suites: {}; environments: `redqueen gym list`",
      name, did_you_mean(name, names), known);
}

std::string missing_warning(const Suite& suite) {
  if (suite.missing.empty()) return {};
  return fmt::format("suite {}: {} of its {} environments are not part of this build: {}",
                     suite.name, suite.missing.size(),
                     suite.missing.size() + suite.environments.size(),
                     fmt::join(suite.missing, ", "));
}

}  // namespace redqueen
