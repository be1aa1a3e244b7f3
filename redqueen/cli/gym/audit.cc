// redqueen gym audit: what those earn who do not solve the problems, and what problems cost.

#include "redqueen/gym/audit.h"

#include <algorithm>
#include <map>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"

namespace redqueen {
namespace {

struct GymAuditOptions {
  ConfigurationOptions configuration;
  std::vector<std::string> names;
  AuditOptions audit;
  std::string reading = "strict";
  bool json = false;
  bool markdown = false;
};

void print_table(const Environment& environment, const std::vector<LevelAudit>& levels) {
  fmt::print("{} ({})\n", environment.name(), to_string(environment.card().family));
  for (const LevelAudit& level : levels) {
    fmt::print(
        "  level {:<3} {} problems, {} distinct, {} failed; generate {:.1f} µs, prompt {:.1f} µs, "
        "score {:.1f} µs\n",
        level.level, level.problems, level.distinct, level.failures, level.generate_us,
        level.prompt_us, level.score_us);
    for (const GuessAudit& guess : level.guesses) {
      fmt::print("    {:<42} solves {:>5.1f} %, mean reward {:>6.3f}\n", guess.rule,
                 100 * guess.solved, guess.mean_reward);
    }
  }
  const std::string fault = objection(environment, levels);
  if (!fault.empty()) fmt::print("  objection: {}\n", fault);
  if (!environment.card().small_answer_space.empty())
    fmt::print("  guessing: {}\n", environment.card().small_answer_space);
}

struct Audited {
  const Environment* environment = nullptr;
  std::vector<LevelAudit> levels;
};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

// The cells of a row of the table of families: at each level the median over the environments of
// what the best guess solves, and the most.
std::string family_cells(const std::vector<const Audited*>& family,
                         const std::vector<int>& levels) {
  std::string cells;
  for (const int number : levels) {
    std::vector<double> solved;
    for (const Audited* audited : family) {
      for (const LevelAudit& level : audited->levels) {
        if (level.level == number && level.problems > 0) solved.push_back(level.worst().solved);
      }
    }
    std::ranges::sort(solved);
    cells += solved.empty() ? " – |"
                            : fmt::format(" {}, {} |", percent(solved[solved.size() / 2]),
                                          percent(solved.back()));
  }
  return cells;
}

// The rest of the heading of a table, from its third column on, and the line below.
std::string column_heads(const std::vector<int>& levels, std::string_view second_column) {
  std::string heads;
  for (const int level : levels) heads += fmt::format(" level {} |", level);
  heads += fmt::format("\n| --- | {} |", second_column);
  for (std::size_t i = 0; i < levels.size(); ++i) heads += " ---: |";
  return heads + "\n";
}

// A text in a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void print_families(const std::vector<Audited>& all, const std::vector<int>& levels) {
  std::map<std::string_view, std::vector<const Audited*>> families;
  for (const Audited& audited : all)
    families[to_string(audited.environment->card().family)].push_back(&audited);
  fmt::print("| family | environments |{}", column_heads(levels, "---:"));
  for (const auto& [family, environments] : families) {
    fmt::print("| {} | {} |{}\n", family, environments.size(), family_cells(environments, levels));
  }
}

// Describes in a few words which guesses the card allows.
std::string allowance(const Card& card) {
  std::vector<std::string> parts;
  if (card.guess_until_level >= 0)
    parts.push_back(fmt::format("any up to level {}", card.guess_until_level));
  parts.push_back(fmt::format("{} beyond", percent(card.guess_bound)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// From level 2 on.
double most_solved(const Audited& audited) {
  double most = 0.0;
  for (const LevelAudit& level : audited.levels) {
    if (level.level >= 2 && level.problems > 0) most = std::max(most, level.worst().solved);
  }
  return most;
}

void print_guessable(const std::vector<Audited>& all, const std::vector<int>& levels) {
  fmt::print("| environment | guess |{}", column_heads(levels, "---"));
  for (const Audited& audited : all) {
    if (most_solved(audited) <= Card{}.guess_bound) continue;
    const Card& card = audited.environment->card();
    std::string cells;
    const GuessAudit* best = nullptr;  // from level 2 on
    for (const int number : levels) {
      const auto level = std::ranges::find(audited.levels, number, &LevelAudit::level);
      if (level == audited.levels.end() || level->problems == 0) {
        cells += " – |";
        continue;
      }
      const GuessAudit& guess = level->worst();
      cells += fmt::format(" {} |", percent(guess.solved));
      if (number >= 2 && (best == nullptr || guess.solved > best->solved)) best = &guess;
    }
    fmt::print("| {} ({}) | {} |{}\n", audited.environment->name(), allowance(card),
               cell(best->rule), cells);
  }
}

// The page docs/audit.md: no row for each environment, and nothing that depends on the machine.
void print_markdown(const std::vector<Audited>& all, const AuditOptions& options) {
  fmt::print(
      "# Audit of the environments\n\n"
      "What is solved without solving: of {0} problems of each environment and level, the share "
      "that "
      "the best *guess* solves. A guess\nis a constant, the example of the prompt, a random answer "
      "of "
      "the asked form, or a simple rule that the environment names.\n`redqueen gym audit "
      "--problems "
      "{0} --markdown` writes this page; `redqueen gym audit NAME` prints all guesses of an "
      "environment,\nwhat they earn, and what its problems cost to make.\n\n"
      "In each family, the median over its environments and the most:\n\n",
      options.problems);
  print_families(all, options.levels);
  fmt::print(
      "\nMore than {} at level 2 or above is an objection, unless the card allows it "
      "(`guess_until_level`, `guess_bound`) and says why\n(`redqueen gym show NAME`). These "
      "environments pass that share somewhere; in brackets what their cards allow:\n\n",
      percent(Card{}.guess_bound));
  print_guessable(all, options.levels);
}

Status run_audit(const GymAuditOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto environments, find_environments(engine.registry(), options.names));
  AuditOptions how = options.audit;
  how.reading = *kAnswerReadingNames.find(options.reading);
  std::size_t objections = 0;
  std::vector<Audited> all;
  for (const Environment* environment : environments) {
    std::vector<LevelAudit> levels = audit(*environment, how);
    objections += !objection(*environment, levels).empty();
    if (options.json) {
      fmt::print("{}\n", dump_json(to_json(*environment, levels)));
    } else if (options.markdown) {
      all.push_back({environment, std::move(levels)});
    } else {
      print_table(*environment, levels);
    }
    std::fflush(stdout);
  }
  if (options.markdown) print_markdown(all, options.audit);
  if (!options.json)
    fmt::print("\n{} environments, {} objections\n", environments.size(), objections);
  return {};
}

}  // namespace

void add_gym_audit(Command gym) {
  Command command =
      gym.add_subcommand("audit", "Measure what guessing earns and what problems cost");
  auto options = std::make_shared<GymAuditOptions>();
  command.add_option("name", options->names, "Environments (default: all)");
  command.add_option("--levels", options->audit.levels, "Levels (default: 0,2,5,10,20)")
      .comma_separated();
  command.add_option("--problems", options->audit.problems, "Per level").positive().show_default();
  command.add_option("--seconds", options->audit.seconds, "At most, per level")
      .positive()
      .show_default();
  command.add_option("--reading", options->reading, "How answers are read")
      .choices({"strict", "tolerant"})
      .show_default();
  const Option json = command.add_flag("--json", options->json, "One JSON object per environment");
  command.add_flag("--markdown", options->markdown, "The page docs/audit.md").excludes(json);
  options->configuration.add_to(command);
  command.set_work(options, run_audit);
}

}  // namespace redqueen
