// redqueen gym gallery: native environments with samples, as Markdown or as a page for browsers.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "redqueen/base/ascii.h"
#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/parallel.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/gym/gallery_page.h"
#include "redqueen/gym/audit.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct GymGalleryOptions {
  ConfigurationOptions configuration;
  std::vector<std::string> names;
  std::string out;
  bool page = false;
  bool overview = false;
};

// Suites that name an environment of a family; the names are those of files in configs/suites/.
using SuitesOf = std::map<std::string, std::vector<std::string>, std::less<>>;

constexpr const char* kSuites[] = {"c1", "c4", "c16", "c256", "held-out"};

// The beginning of a long text, cut at a character.
std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 700;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + " …";
}

// Without a limit of time, so that the pages are the same on any machine.
const AuditOptions kAudit{
    .levels = {0, 3, 8}, .problems = 50, .seconds = std::numeric_limits<double>::infinity()};

std::string best_guess(const LevelAudit& level) {
  const GuessAudit& best = level.worst();
  const auto solved = std::lround(best.solved * level.problems);
  if (solved == 0) return fmt::format("No guess solves any of {} problems.", level.problems);
  return fmt::format("The best guess ({}) solves {} of {} problems.", best.rule, solved,
                     level.problems);
}

GalleryEntry entry(const Environment& environment, const SuitesOf& suites) {
  const Card& card = environment.card();
  GalleryEntry entry{
      .name = std::string(card.name), .task = std::string(card.task), .facts = {}, .samples = {}};
  entry.facts.emplace_back("Levels", card.levels);
  entry.facts.emplace_back("Rewards", card.rewards);
  if (!card.differences.empty())
    entry.facts.emplace_back("Differs from the published environment", card.differences);
  if (!card.small_answer_space.empty())
    entry.facts.emplace_back("Guessing", card.small_answer_space);
  if (!card.source.empty()) entry.facts.emplace_back("Source", card.source);
  if (const auto found = suites.find(card.name); found != suites.end())
    entry.facts.emplace_back("Suites", fmt::format("{}", fmt::join(found->second, ", ")));
  for (const LevelAudit& level : audit(environment, kAudit)) {
    const auto problem = environment.generate(level.level, 0);
    if (!problem) continue;
    entry.samples.push_back({.level = level.level,
                             .address = environment.address(level.level, 0).to_string(),
                             .prompt = shortened((*problem)->prompt()),
                             .answer = shortened((*problem)->reference()),
                             .guess = best_guess(level)});
  }
  return entry;
}

std::string fenced(const std::string& text) {
  return fmt::format("~~~~\n{}{}~~~~\n", text, text.ends_with('\n') ? "" : "\n");
}

std::string section(const GalleryEntry& entry) {
  std::string text = fmt::format("## {}\n\n{}\n\n", entry.name, entry.task);
  for (const auto& [what, fact] : entry.facts) text += fmt::format("- *{}*: {}\n", what, fact);
  text += '\n';
  for (const GallerySample& sample : entry.samples) {
    text +=
        fmt::format("Level {} (`{}`):\n\n{}\nAn answer that solves it:\n\n{}\n{}\n\n", sample.level,
                    sample.address, fenced(sample.prompt), fenced(sample.answer), sample.guess);
  }
  return text;
}

std::string index(const Gallery& families) {
  std::size_t count = 0;
  std::size_t worlds = 0;
  std::string table = "| family | environments |\n| --- | --- |\n";
  for (const auto& [family, environments] : families) {
    std::string names;
    for (const GalleryEntry& environment : environments) {
      const std::string anchor = ascii_lower(environment.name);
      names += fmt::format("{}[{}]({}.md#{})", names.empty() ? "" : ", ", environment.name, family,
                           anchor);
    }
    table += fmt::format("| [{0}]({0}.md) ({1}) | {2} |\n", family, environments.size(), names);
    (family == to_string(Family::kWorlds) ? worlds : count) += environments.size();
  }
  return fmt::format(
      "# Gallery\n\nThe {} native environments that ask once, and the {} worlds of tools and "
      "turns, "
      "with a problem of level\n0, 3 and 8 each, and what the best guess earns on {} of that "
      "level; "
      "long texts are cut.\n\n{}",
      count, worlds, kAudit.problems, table);
}

// The published environments by family. They stay the same, whatever this build has besides.
std::map<std::string_view, std::vector<const Environment*>> published_families(
    const Registry& registry) {
  std::map<std::string_view, std::vector<const Environment*>> families;
  for (const Environment* environment : registry.all()) {
    const Card& card = environment->card();
    if (card.published) families[to_string(card.family)].push_back(environment);
  }
  return families;
}

// An environment of the collection c16, if the family has one: the sample of its family.
const Environment& sample_of(const std::vector<const Environment*>& family,
                             const SuitesOf& suites) {
  for (const Environment* environment : family) {
    const auto found = suites.find(environment->name());
    if (found != suites.end() && std::ranges::find(found->second, "c16") != found->second.end())
      return *environment;
  }
  return *family.front();
}

std::string overview_section(std::string_view family, const Environment& environment) {
  const Card& card = environment.card();
  const int level = std::min(3, card.max_level);
  const auto problem = environment.generate(level, 0);
  if (!problem) return {};
  return fmt::format("## {}: {}\n\n{}\n\n{}\nAn answer that solves it:\n\n{}", family, card.name,
                     card.task, fenced(shortened((*problem)->prompt())),
                     fenced(shortened((*problem)->reference())));
}

std::string overview(const Registry& registry, const SuitesOf& suites) {
  std::string table = "| family | environments |\n| --- | --- |\n";
  std::string samples;
  std::size_t count = 0;
  for (const auto& [family, environments] : published_families(registry)) {
    std::vector<std::string_view> names;
    for (const Environment* environment : environments) names.push_back(environment->name());
    count += names.size();
    table += fmt::format("| {} ({}) | {} |\n", family, names.size(), fmt::join(names, ", "));
    samples += "\n" + overview_section(family, sample_of(environments, suites));
  }
  return fmt::format(
      "# Gallery\n\nThe {} published environments, and a problem of one of each family at level 3; "
      "long texts are cut. The whole gallery, each\nenvironment with its card, three problems and "
      "what the best guess earns, is made by `redqueen gym gallery --out DIR`, with\n`--page` as "
      "one "
      "page for browsers; `redqueen gym gallery --overview --out docs/gallery` writes this page. "
      "[Worlds](../worlds.md)\nof tools and turns have a page of their own, and `redqueen gym "
      "list` "
      "has everything. On guessing: [audit](../audit.md).\n\n{}{}",
      count, table, samples);
}

// Replaces a page of the gallery, which can be made again.
Status write_page(const fs::path& path, const std::string& text) {
  return replace_file(path, text, Survives::kProcessDeath);
}

Expected<SuitesOf> suites_of(const Engine& engine) {
  SuitesOf suites;
  for (const char* name : kSuites) {
    const auto suite = engine.load_suite(name);
    if (!suite) {
      if (suite.error().kind == ErrorKind::kUsage) return tl::make_unexpected(suite.error());
      continue;  // nothing of it is part of this build
    }
    for (const Environment* environment : suite->environments)
      suites[std::string(base_name(environment->name()))].emplace_back(name);
  }
  return suites;
}

Gallery families_of(std::vector<const Environment*> environments, const SuitesOf& suites) {
  std::erase_if(environments, [](const Environment* environment) {
    return environment->card().family == Family::kCode;
  });
  std::vector<GalleryEntry> entries(environments.size());
  parallel_chunks(entries.size(), 1, 0, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) entries[i] = entry(*environments[i], suites);
  });
  Gallery families;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    families[std::string(to_string(environments[i]->card().family))].push_back(
        std::move(entries[i]));
  }
  return families;
}

Status gallery(const GymGalleryOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto environments, find_environments(engine.registry(), options.names));
  ASSIGN_OR_RETURN(const SuitesOf suites, suites_of(engine));
  RETURN_IF_ERROR(make_folders(options.out));
  const fs::path folder = options.out;
  if (options.overview) {
    RETURN_IF_ERROR(write_page(folder / "README.md", overview(engine.registry(), suites)));
    fmt::print("{}\n", (folder / "README.md").string());
    return {};
  }
  const Gallery families = families_of(environments, suites);
  if (options.page) {
    RETURN_IF_ERROR(write_page(folder / "index.html", gallery_page(families)));
    fmt::print("{}\n", (folder / "index.html").string());
    return {};
  }
  for (const auto& [family, environments] : families) {
    std::string page = fmt::format("# {}\n\n[All families](README.md)\n\n", family);
    for (const GalleryEntry& environment : environments) page += section(environment);
    RETURN_IF_ERROR(write_page(folder / (family + ".md"), page));
  }
  RETURN_IF_ERROR(write_page(folder / "README.md", index(families)));
  fmt::print("{}\n", (folder / "README.md").string());
  return {};
}

}  // namespace

void add_gym_gallery(Command gym) {
  Command command =
      gym.add_subcommand("gallery", "Write pages with environments and samples of them");
  auto options = std::make_shared<GymGalleryOptions>();
  command.add_option("name", options->names, "Environments (default: all)");
  command.add_option("--out", options->out, "Folder to write").required();
  const Option page = command.add_flag("--page", options->page,
                                       "One page for browsers, index.html, instead of Markdown");
  command
      .add_flag("--overview", options->overview,
                "The published environments by name, with a sample of each family")
      .excludes(page);
  options->configuration.add_to(command);
  command.set_work(options, gallery);
}

}  // namespace redqueen
