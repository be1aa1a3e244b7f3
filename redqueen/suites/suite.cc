#include "redqueen/suites/suite.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <set>

#include "redqueen/core/text.h"
#include "redqueen/data_sets/data_set.h"
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

Expected<Suite> read_file(std::string name, const fs::path& path, const Registry& registry) {
  ASSIGN_OR_RETURN(auto config, run::Config::load(path));
  run::Settings settings(config);
  run::Section root = settings.section("");
  std::vector<std::string> names;
  Suite suite{.name = std::move(name)};
  root.field("environments", names, {.help = "Names of the environments."});
  root.field("levels", suite.levels, {.help = "Levels that the suite is evaluated on.", .min = 0});
  root.field("problems", suite.problems, {.help = "Problems per environment.", .min = 0});
  root.choice("reading", suite.reading, kAnswerReadingNames,
              "How answers are read where the suite is evaluated.");
  RETURN_IF_ERROR(settings.finish());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& environment : names) {
    if (const Environment* found = registry.find(environment)) {
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

Expected<Suite> of_names(std::string_view text, const Registry& registry) {
  Suite suite{.name = std::string(text)};
  for (const std::string& name : split_commas(text)) {
    ASSIGN_OR_RETURN(const auto environment, registry.get(name));
    suite.environments.push_back(environment);
  }
  return suite;
}

Expected<Suite> of_path(fs::path path, std::shared_ptr<sandbox::SandboxService> service) {
  if (!path.has_filename()) path = path.parent_path();  // "pool/"
  if (fs::is_regular_file(path / "run.db")) path /= "pool";
  ASSIGN_OR_RETURN(const auto sandbox, service->get());
  ASSIGN_OR_RETURN(auto environments, synth::load_python_environments(path, *sandbox));
  Suite suite{.name = path.stem().string(), .sandbox = std::move(service)};
  for (auto& environment : environments) {
    suite.environments.push_back(environment.get());
    suite.owned.push_back(std::move(environment));
  }
  return suite;
}

Expected<Suite> of_data_set(const fs::path& file) {
  ASSIGN_OR_RETURN(data_sets::LoadedDataSet set, data_sets::load_data_set(file));
  const int problems = set.problems * static_cast<int>(set.levels.size());
  return Suite{.name = std::string(set.environment->name()),
               .environments = {set.environment.get()},
               .levels = std::move(set.levels),
               .problems = problems,
               .owned = {set.environment}};
}

}  // namespace

Expected<Suite> load_suite(std::string_view name, const SuiteSources& sources) {
  const Registry& registry = sources.registry;
  const fs::path given(name);
  if (given.extension() == ".toml") return read_file(given.stem().string(), given, registry);
  for (const fs::path& folder : sources.folders) {
    const fs::path named = folder / fmt::format("{}.toml", name);
    if (!name.empty() && fs::exists(named)) return read_file(std::string(name), named, registry);
  }
  if (name.find(',') != std::string_view::npos || registry.find(name) != nullptr)
    return of_names(name, registry);
  if (fs::is_directory(given) || (given.extension() == ".py" && fs::exists(given)))
    return of_path(given, sources.sandbox);
  if (given.extension() == ".jsonl" && fs::exists(given)) return of_data_set(given);
  std::set<std::string> suites;
  for (const fs::path& folder : sources.folders) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      suites.insert(entry.path().stem().string());
  }
  std::vector<std::string_view> names(suites.begin(), suites.end());
  for (const Environment* environment : registry.all()) names.push_back(environment->name());
  return usage_error(
      "there is no suite or environment \"{}\"{}; suites: {}; environments: `redqueen gym list`",
      name, did_you_mean(name, names), fmt::join(suites, ", "));
}

std::string missing_warning(const Suite& suite) {
  if (suite.missing.empty()) return {};
  return fmt::format("suite {}: {} of its {} environments are not part of this build: {}",
                     suite.name, suite.missing.size(),
                     suite.missing.size() + suite.environments.size(),
                     fmt::join(suite.missing, ", "));
}

}  // namespace redqueen
