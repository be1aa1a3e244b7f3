// redqueen eval: how many held-out problems a policy solves.

#include <charconv>
#include <iostream>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/output.h"
#include "redqueen/code_tasks/cruxeval.h"
#include "redqueen/core/registry.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/run/report/statistics.h"
#include "redqueen/session/evaluate.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/turn_end.h"

namespace redqueen {
namespace {

struct EvalOptions {
  ConfigurationOptions configuration;
  std::string policy;
  std::string run;  // of train: its configuration and its policy
  std::string suite;
  std::string levels;
  std::string cruxeval;       // a file in the format of CruxEval instead of a suite
  std::string mode = "both";  // of it
  int problems = 0;
  int samples = 0;            // 0: the configuration's
  double temperature = -1.0;  // below 0: the configuration's
  std::string reading;        // empty: the suite's
  bool json = false;
};

// "0..4", "3", "0,2,5".
Expected<std::vector<int>> parse_levels(std::string_view text) {
  const auto fault = [text] {
    return usage_error("levels \"{}\": expected 0..4, or 3, or 0,2,5", text);
  };
  const auto number = [](std::string_view part) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size() || value < 0 || value > 10000)
      return std::nullopt;
    return value;
  };
  std::vector<int> levels;
  if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
    const auto low = number(text.substr(0, dots));
    const auto high = number(text.substr(dots + 2));
    if (!low || !high || *low > *high) return fault();
    for (int level = *low; level <= *high; ++level) levels.push_back(level);
    return levels;
  }
  std::string_view rest = text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    const auto level = number(rest.substr(0, comma));
    if (!level) return fault();
    levels.push_back(*level);
    if (comma == std::string_view::npos) return levels;
    rest.remove_prefix(comma + 1);
  }
}

Json to_json_line(const run::EvaluationRecord& record) {
  const run::Interval interval = interval_of(record);
  Json line{{"suite", record.suite},
            {"environment", record.environment},
            {"level", record.level},
            {"problems", record.problems},
            {"solved", record.solved},
            {"accuracy", record.problems == 0 ? 0.0
                                              : static_cast<double>(record.solved) /
                                                    static_cast<double>(record.problems)},
            {"low", interval.low},
            {"high", interval.high},
            {"mean_reward", record.mean_reward},
            {"cut", record.cut}};
  if (const auto passed = pass_rate(record)) {
    line["samples"] = record.samples;
    line["pass_at_samples"] = *passed;
    Json shares = Json::object();
    for (int j = 1; j <= record.samples; ++j) {
      if (const auto share = pass_rate(record, j)) shares[std::to_string(j)] = *share;
    }
    line["pass_at"] = std::move(shares);
  }
  return line;
}

// What is asked: suites, with the environments that they own if they come from a file.
struct Questions {
  std::vector<Suite> suites;
  std::vector<std::unique_ptr<const Environment>> environments;
};

Expected<Questions> load_questions(const EvalOptions& options, const TrainSettings& settings,
                                   const Engine& engine, run::Progress& progress) {
  if (options.cruxeval.empty()) {
    Questions questions;
    for (const std::string& name :
         options.suite.empty() ? evaluation_suites(settings) : std::vector{options.suite}) {
      ASSIGN_OR_RETURN(questions.suites.emplace_back(),
                       load_suite_with_warning(engine, name, progress));
    }
    return questions;
  }
  if (!options.suite.empty()) return usage_error("give either --suite or --cruxeval");
  ASSIGN_OR_RETURN(const auto mode, code_tasks::parse_cruxeval_mode(options.mode));
  ASSIGN_OR_RETURN(const auto items, code_tasks::read_cruxeval(options.cruxeval));
  ASSIGN_OR_RETURN(auto made, code_tasks::cruxeval_suite(items, mode, engine.registry()));
  return Questions{{std::move(made.suite)}, std::move(made.environments)};
}

// The options of the command line are settings like any other.
Status take_options(const EvalOptions& options, TrainSettings& settings) {
  EvaluationSettings& evaluation = settings.evaluation;
  if (options.temperature >= 0.0) evaluation.temperature = options.temperature;
  if (options.problems > 0) evaluation.problems = options.problems;
  if (options.samples > 0) evaluation.samples = options.samples;
  if (!options.levels.empty()) {
    ASSIGN_OR_RETURN(evaluation.levels, parse_levels(options.levels));
  }
  if (!options.cruxeval.empty()) evaluation.levels.clear();  // a file has one level
  return {};
}

// The policy that a run's own evaluations asked: of several learners it is the first.
Expected<std::string> policy_of_run(const std::filesystem::path& run,
                                    const ConfigurationOptions& configuration,
                                    const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  ASSIGN_OR_RETURN(const RecipeType* recipe, find_recipe(resolved.settings.run.recipe));
  ASSIGN_OR_RETURN(const auto learners, learners_of(*recipe, resolved.settings));
  const auto folder = learners.size() == 1 ? run : run / learners.front().role;
  return (folder / "policy").string();
}

// Asks one suite, and prints what came of it.
Status ask(Policy& policy, const Suite& suite, const TrainSettings& settings,
           const EvalOptions& options, run::Progress& progress) {
  ASSIGN_OR_RETURN(auto evaluation, evaluation_options(settings, suite));
  if (!options.reading.empty()) {
    ASSIGN_OR_RETURN(evaluation.format.reading,
                     kAnswerReadingNames.get("--reading", options.reading));
  }
  progress.stage("evaluating");
  ASSIGN_OR_RETURN(const auto result,
                   evaluate(policy, suite, evaluation, evaluation_progress(progress)));
  for (const std::string& warning : result.warnings()) fmt::print(stderr, "warning: {}\n", warning);
  if (!options.json) {
    say("{}", evaluation_table(result.records));
    return {};
  }
  for (const run::EvaluationRecord& record : result.records)
    fmt::print("{}\n", dump_json(to_json_line(record)));
  return {};
}

Status run_eval(EvalOptions options, const Resources& resources) {
  if (!options.run.empty()) {
    const std::filesystem::path run = options.run;
    if (!is_file(run / "config.toml"))
      return usage_error("{}: there is no run here (no config.toml)", options.run);
    options.configuration.file = (run / "config.toml").string();
    if (options.policy.empty()) {
      ASSIGN_OR_RETURN(options.policy, policy_of_run(run, options.configuration, resources));
    }
  }
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  ASSIGN_OR_RETURN(auto resolved, resolve(options.configuration, resources));
  TrainSettings& settings = resolved.settings;
  RETURN_IF_ERROR(take_options(options, settings));
  run::Progress progress(std::cerr, options.json ? run::ProgressMode::kQuiet
                                                 : run::detect_progress_mode(STDERR_FILENO));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(settings, resources));
  ASSIGN_OR_RETURN(const auto questions, load_questions(options, settings, engine, progress));
  ASSIGN_OR_RETURN(const auto policy, load_policy(settings));
  progress.note(how_asked_in_evaluation(settings));
  if (const std::string warning = turn_end_warning(*policy, settings.sampling.stop);
      !warning.empty()) {
    progress.note("warning: " + warning);
  }
  RETURN_IF_ERROR(resolve_prompt_format(*policy, settings));
  for (const Suite& suite : questions.suites) {
    if (questions.suites.size() > 1 && !options.json) say("{}\n", suite.name);
    RETURN_IF_ERROR(ask(*policy, suite, settings, options, progress));
  }
  return {};
}

}  // namespace

void add_eval(Command app) {
  Command command = app.add_subcommand("eval", "Measure a policy on held-out problems");
  auto options = std::make_shared<EvalOptions>();
  command.add_option("--policy", options->policy,
                     "Folder of the policy: DIR, hf:DIR, or openai:URL");
  command.add_option("--run", options->run,
                     "Folder of a run: its policy, asked as its configuration says");
  command.add_option(
      "--suite", options->suite,
      "Suite, file, environments with commas between, or the path of Python environments (default: "
      "the suites of [evaluation])");
  command.add_option("--levels", options->levels,
                     "0..4, or 3, or 0,2,5 (default: evaluation.levels)");
  command.add_option("--cruxeval", options->cruxeval,
                     "File in the format of CruxEval instead of a suite: code, input and output");
  command
      .add_option("--mode", options->mode, "What is asked of its programs: input, output, or both")
      .show_default();
  command
      .add_option("--problems", options->problems,
                  "Per environment and level (default: evaluation.problems)")
      .positive();
  command
      .add_option("--samples", options->samples,
                  "Responses to each problem: the share solved is avg@k, and pass@k is added "
                  "(default: evaluation.samples)")
      .positive();
  command
      .add_option("--temperature", options->temperature,
                  "Of the sampling; 0: greedy (default: evaluation.temperature)")
      .non_negative();
  command
      .add_option("--reading", options->reading,
                  "How answers are read: strict, as published, or tolerant of marks, LaTeX and "
                  "brackets (default: as the suite says, strict if it says nothing)")
      .choices({"strict", "tolerant"});
  command.add_flag("--json", options->json, "One JSON object per environment and level");
  options->configuration.add_to(command);
  command.set_work(options, run_eval);
}

}  // namespace redqueen
