// redqueen gym audit: what those earn who do not solve the problems, and what problems cost.

#include "redqueen/gym/audit.h"
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

void print_markdown_head(const AuditOptions& options) {
  fmt::print(
      "# Audit of the native environments\n\n"
      "Made by `redqueen gym audit --markdown` on {} problems an environment and level (fewer "
      "where they are slow). "
      "Times are CPU microseconds, medians on one core. *Guess* is the constant, random answer, "
      "example or simple rule "
      "that solves most without solving; more than {:.0f} % from level 2 on is an objection unless "
      "the answer space is "
      "small by nature. *Best paid* is the mean reward of the guess that earns most: closeness "
      "pays "
      "for estimates that solve nothing.\n\n"
      "| environment | level | generate | prompt | score | distinct | best guess | solves | best "
      "paid | its reward | remark |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | --- | ---: | --- |\n",
      options.problems, 100 * kShortcutBound);
}

void print_markdown(const Environment& environment, const std::vector<LevelAudit>& levels) {
  const std::string fault = objection(environment, levels);
  for (const LevelAudit& level : levels) {
    const GuessAudit& worst = level.worst();
    std::string remark;
    if (level.level == levels.front().level) {
      remark = fault.empty() ? std::string(environment.card().small_answer_space)
                             : "objection: " + fault;
    }
    if (level.failures > 0) remark += fmt::format(" {} failed generations", level.failures);
    const GuessAudit& paid = level.best_paid();
    fmt::print(
        "| {} | {} | {:.1f} | {:.1f} | {:.1f} | {}/{} | {} | {:.1f} % | {} | {:.3f} | {} |\n",
        environment.name(), level.level, level.generate_us, level.prompt_us, level.score_us,
        level.distinct, level.problems, worst.rule, 100 * worst.solved, paid.rule, paid.mean_reward,
        remark);
  }
}

Status run_audit(const GymAuditOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto environments, find_environments(engine.registry(), options.names));
  AuditOptions how = options.audit;
  how.reading = *kAnswerReadingNames.find(options.reading);
  if (options.markdown) print_markdown_head(options.audit);
  std::size_t objections = 0;
  for (const Environment* environment : environments) {
    const std::vector<LevelAudit> levels = audit(*environment, how);
    objections += !objection(*environment, levels).empty();
    if (options.json) {
      fmt::print("{}\n", dump_json(to_json(*environment, levels)));
    } else if (options.markdown) {
      print_markdown(*environment, levels);
    } else {
      print_table(*environment, levels);
    }
    std::fflush(stdout);
  }
  if (options.markdown || !options.json)
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
  command.add_flag("--markdown", options->markdown, "The table of docs/audit.md").excludes(json);
  options->configuration.add_to(command);
  command.set_work(options, run_audit);
}

}  // namespace redqueen
