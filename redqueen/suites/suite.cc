#include "redqueen/suites/suite.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/run/config.h"
#include "redqueen/suites/problem_file.h"
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

constexpr int kDeepestPart = 8;  // of suites within suites; one that holds itself goes deeper

Expected<Suite> load(std::string_view name, const SuiteSources& sources, int depth);

// What the file of a suite says.
struct SuiteFile {
  std::vector<std::string> environments;
  bool published = false;
  std::string family;
  std::vector<std::string> parts;
  std::vector<double> weights;  // of the parts
  double hardened = 1;          // the share of the problems that the hardened generator makes
};

Status check(const SuiteFile& file, const fs::path& path) {
  const std::array ways{!file.environments.empty(), !file.parts.empty(),
                        file.published || !file.family.empty()};
  if (std::ranges::count(ways, true) > 1) {
    return usage_error(
        "{}: give either environments, or parts, or what selects environments of this build "
        "(published, family)",
        path.string());
  }
  if (!file.weights.empty() && file.weights.size() != file.parts.size()) {
    return usage_error("{}: weights has {} numbers for {} parts; give one to each", path.string(),
                       file.weights.size(), file.parts.size());
  }
  for (const std::string& name : file.environments) {
    if (name.find('\0') != std::string::npos)
      return usage_error("{}: the name of an environment has a NUL in it", path.string());
  }
  return {};
}

// Adds the environments of the registry that the file selects; none if it selects nothing.
void add_selected(const SuiteFile& file, const Registry& registry, Suite& suite) {
  if (!file.published && file.family.empty()) return;
  for (const Environment* environment : registry.all()) {
    const Card& card = environment->card();
    if (file.published && !card.published) continue;
    if (!file.family.empty() && to_string(card.family) != file.family) continue;
    suite.environments.push_back(environment);
  }
}

// Environments that the registry lacks are listed as missing.
void add_environments(std::vector<std::string> names, const Registry& registry, Suite& suite) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::string& name : names) {
    if (const Environment* found = registry.find(name)) {
      suite.environments.push_back(found);
    } else {
      suite.missing.push_back(std::move(name));
    }
  }
}

// One that two parts have gets the weight of both.
Status add_part(const Suite& part, double weight, const fs::path& path, Suite& suite) {
  const double sum = std::accumulate(part.weights.begin(), part.weights.end(), 0.0);
  for (std::size_t i = 0; i < part.environments.size(); ++i) {
    const Environment* environment = part.environments[i];
    const double share = part.weights.empty() ? 1.0 / static_cast<double>(part.environments.size())
                                              : part.weights[i] / sum;
    const auto same = std::ranges::find(suite.environments, environment->name(),
                                        [](const Environment* one) { return one->name(); });
    if (same == suite.environments.end()) {
      suite.environments.push_back(environment);
      suite.weights.push_back(weight * share);
    } else if (*same == environment) {
      suite.weights[static_cast<std::size_t>(same - suite.environments.begin())] += weight * share;
    } else {
      return usage_error("{}: two parts have an environment \"{}\" each; rename one of them",
                         path.string(), environment->name());
    }
  }
  suite.missing.insert(suite.missing.end(), part.missing.begin(), part.missing.end());
  suite.owned.insert(suite.owned.end(), part.owned.begin(), part.owned.end());
  if (part.sandbox) suite.sandbox = part.sandbox;
  return {};
}

Status add_parts(const SuiteFile& file, const fs::path& path, const SuiteSources& sources,
                 int depth, Suite& suite) {
  if (depth >= kDeepestPart) {
    return usage_error("{}: its parts are nested more than {} deep; does it hold itself?",
                       path.string(), kDeepestPart);
  }
  for (std::size_t i = 0; i < file.parts.size(); ++i) {
    const fs::path beside = path.parent_path() / file.parts[i];
    const bool is_path = !file.parts[i].empty() && is_there(beside);
    auto part = load(is_path ? beside.string() : file.parts[i], sources, depth + 1);
    if (!part) {
      return tl::make_unexpected(
          Error{part.error().kind, fmt::format("{}: {}", path.string(), part.error().message)});
    }
    RETURN_IF_ERROR(add_part(*part, file.weights.empty() ? 1 : file.weights[i], path, suite));
  }
  return {};
}

// Splits "NAME:published", "NAME:hardened" and "NAME:hardened=SHARE" into NAME and the share of the
// problems that the hardened generator makes.
std::optional<std::pair<std::string_view, double>> split_generator(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view base = name.substr(0, colon);
  std::string_view choice = name.substr(colon + 1);
  if (choice == "published") return {{base, 0.0}};
  if (choice == "hardened") return {{base, 1.0}};
  constexpr std::string_view kShare = "hardened=";
  if (!choice.starts_with(kShare)) return std::nullopt;
  choice.remove_prefix(kShare.size());
  double share = 0;
  const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), share);
  if (error != std::errc() || end != choice.data() + choice.size() || !(share >= 0 && share <= 1))
    return std::nullopt;
  return {{base, share}};
}

// Splits the weight of each environment that has two generators between them; the others keep
// theirs.
void choose_generators(double hardened, const Registry& registry, Suite& suite) {
  std::vector<std::pair<const Environment*, double>> chosen;
  const auto add = [&](const Environment* environment, double weight) {
    if (weight <= 0) return;
    const auto same =
        std::ranges::find(chosen, environment, [](const auto& one) { return one.first; });
    if (same == chosen.end()) {
      chosen.emplace_back(environment, weight);
    } else {
      same->second += weight;
    }
  };
  for (std::size_t i = 0; i < suite.environments.size(); ++i) {
    const Environment* environment = suite.environments[i];
    const double weight = suite.weights.empty() ? 1 : suite.weights[i];
    const std::string_view name = base_name(environment->name());
    const Environment* published = registry.find(published_name(name));
    if (published == nullptr) {
      add(environment, weight);
    } else {
      add(registry.find(name), weight * hardened);
      add(published, weight * (1 - hardened));
    }
  }
  suite.environments.clear();
  suite.weights.clear();
  for (const auto& [environment, weight] : chosen) {
    suite.environments.push_back(environment);
    suite.weights.push_back(weight);
  }
  if (std::ranges::all_of(suite.weights, [&](double weight) { return weight == suite.weights[0]; }))
    suite.weights.clear();
}

Expected<Suite> read_file(std::string name, const fs::path& path, const SuiteSources& sources,
                          int depth) {
  ASSIGN_OR_RETURN(auto config, run::Config::load(path));
  run::Settings settings(config);
  run::Section root = settings.section("");
  SuiteFile file;
  Suite suite{.name = std::move(name)};
  root.field("environments", file.environments, {.help = "Names of the environments."});
  root.field("published", file.published,
             {.help = "Every environment of this build that RLVE-Gym has."});
  root.field("family", file.family, {.help = "Every environment of this build in this family."});
  root.field("parts", file.parts, {.help = "Suites, names or paths that it is made of."});
  root.field("weights", file.weights,
             {.help = "How often each part is drawn from; empty: all alike.", .min = 1e-6});
  root.field("hardened", file.hardened,
             {.help = "The share of the problems that the hardened generator makes; RLVE-Gym's "
                      "generator makes the rest.",
              .min = 0,
              .max = 1});
  root.field("levels", suite.levels, {.help = "Levels that the suite is evaluated on.", .min = 0});
  root.field("problems", suite.problems, {.help = "Problems per environment.", .min = 0});
  root.field("distinct", suite.distinct,
             {.help = "Evaluate on problems that differ, as far as there are enough: what a level "
                      "lacks comes from the next."});
  root.choice("reading", suite.reading, kAnswerReadingNames,
              "How answers are read where the suite is evaluated.");
  RETURN_IF_ERROR(settings.finish());
  RETURN_IF_ERROR(check(file, path));
  add_environments(std::move(file.environments), sources.registry, suite);
  add_selected(file, sources.registry, suite);
  RETURN_IF_ERROR(add_parts(file, path, sources, depth, suite));
  if (file.hardened < 1) choose_generators(file.hardened, sources.registry, suite);
  if (suite.environments.empty() && suite.missing.empty()) {
    return failure("{}: it selects no environment of this build; `redqueen gym list` shows all",
                   path.string());
  }
  if (suite.environments.empty()) {
    return failure("{}: none of its {} environments is part of this build", path.string(),
                   suite.missing.size());
  }
  return suite;
}

// The file of the suite of this name.
std::optional<fs::path> named_file(std::string_view name, const SuiteSources& sources) {
  for (const fs::path& folder : sources.folders) {
    const fs::path file = folder / fmt::format("{}.toml", name);
    if (!name.empty() && is_there(file)) return file;
  }
  return std::nullopt;
}

// A name that comes twice counts once: its problems would be counted twice otherwise.
Expected<Suite> of_names(std::string_view text, const SuiteSources& sources) {
  Suite suite{.name = std::string(text)};
  for (const std::string& name : split_commas(text)) {
    const std::string_view trimmed = trim(name);
    if (named_file(trimmed, sources)) {
      return usage_error(
          "\"{}\" is a suite, and between commas stand environments; suites are put together in a "
          "file that lists them as parts",
          trimmed);
    }
    ASSIGN_OR_RETURN(const Environment* environment, sources.registry.get(trimmed));
    if (std::ranges::find(suite.environments, environment) == suite.environments.end())
      suite.environments.push_back(environment);
  }
  if (suite.environments.empty()) return usage_error("\"{}\" names no environment", text);
  return suite;
}

// The one name of a file, whatever path it was given by.
fs::path full_path(const fs::path& path) {
  std::error_code error;
  fs::path full = fs::weakly_canonical(path, error);
  return error ? path : full;
}

Expected<Suite> of_path(fs::path path, std::shared_ptr<sandbox::SandboxService> service) {
  if (!path.has_filename()) path = path.parent_path();  // "pool/"
  if (is_file(path / "run.db")) path /= "pool";
  ASSIGN_OR_RETURN(const auto sandbox, service->get());
  ASSIGN_OR_RETURN(auto environments, synth::load_python_environments(path, *sandbox));
  Suite suite{.name = path.stem().string(), .sandbox = std::move(service)};
  const fs::path file = full_path(path);
  for (auto& environment : environments) {
    suite.environments.push_back(environment.get());
    suite.owned.push_back({std::move(environment), file});
  }
  return suite;
}

Expected<Suite> of_data_set(const fs::path& file, const SuiteSources& sources) {
  const auto& sandbox = sources.sandbox;
  ASSIGN_OR_RETURN(data_sets::LoadedDataSet set,
                   data_sets::load_data_set(file, sandbox, sources.data));
  const int problems = set.problems * static_cast<int>(set.levels.size());
  return Suite{.name = std::string(set.environment->name()),
               .environments = {set.environment.get()},
               .levels = std::move(set.levels),
               .problems = problems,
               .sandbox = sandbox,
               .owned = {{set.environment, full_path(file)}}};
}

Expected<Suite> of_problem_file(const fs::path& file, const Registry& registry) {
  ASSIGN_OR_RETURN(auto environments, load_problem_file(file, registry));
  Suite suite{.name = file.stem().string(), .levels = {0}};
  for (auto& environment : environments) {
    suite.problems = std::max(suite.problems, *data_sets::rows_at(*environment, 0));
    suite.environments.push_back(environment.get());
    suite.owned.push_back({std::move(environment), full_path(file)});
  }
  return suite;
}

Expected<Suite> load(std::string_view name, const SuiteSources& sources, int depth) {
  const Registry& registry = sources.registry;
  const fs::path given(name);
  if (given.extension() == ".toml") return read_file(given.stem().string(), given, sources, depth);
  if (const auto file = named_file(name, sources))
    return read_file(std::string(name), *file, sources, depth);
  if (name.find(',') != std::string_view::npos || registry.find(name) != nullptr)
    return of_names(name, sources);
  if (const auto choice = split_generator(name)) {
    ASSIGN_OR_RETURN(Suite suite, load(choice->first, sources, depth + 1));
    choose_generators(choice->second, registry, suite);
    suite.name = name;
    return suite;
  }
  std::error_code ignored;
  if (fs::is_directory(given, ignored) || (given.extension() == ".py" && is_there(given)))
    return of_path(given, sources.sandbox);
  if (given.extension() == ".jsonl" && is_there(given)) return of_data_set(given, sources);
  if (given.extension() == ".json" && is_there(given)) return of_problem_file(given, registry);
  std::set<std::string> suites;
  for (const fs::path& folder : sources.folders) {
    for (const auto& entry : fs::directory_iterator(folder, ignored))
      suites.insert(entry.path().stem().string());
  }
  std::vector<std::string_view> names(suites.begin(), suites.end());
  for (const Environment* environment : registry.all()) names.push_back(environment->name());
  return usage_error(
      "there is no suite or environment \"{}\"{}; suites: {}; environments: `redqueen gym list`",
      name, did_you_mean(name, names), fmt::join(suites, ", "));
}

}  // namespace

Expected<Suite> load_suite(std::string_view name, const SuiteSources& sources) {
  return load(name, sources, 0);
}

std::string missing_warning(const Suite& suite) {
  if (suite.missing.empty()) return {};
  return fmt::format("suite {}: {} of its {} environments are not part of this build: {}",
                     suite.name, suite.missing.size(),
                     suite.missing.size() + suite.environments.size(),
                     fmt::join(suite.missing, ", "));
}

}  // namespace redqueen
