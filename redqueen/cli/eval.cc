// redqueen eval: how many held-out problems a policy solves.

#include <charconv>
#include <iostream>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/json.h"
#include "redqueen/core/registry.h"
#include "redqueen/recipes/azr/cruxeval.h"
#include "redqueen/recipes/evaluate.h"
#include "redqueen/recipes/session.h"
#include "redqueen/run/statistics.h"

namespace redqueen {
namespace {

struct Options {
  ConfigurationOptions configuration;
  std::string policy;
  std::string suite;
  std::string levels;
  std::string cruxeval;       // a file in the format of CruxEval instead of a suite
  std::string mode = "both";  // of it
  int problems = 0;
  double temperature = -1.0;  // below 0: the configuration's
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

Json to_json_line(const EvaluationRecord& record) {
  const Interval interval = wilson_interval(record.solved, record.problems);
  return Json{{"suite", record.suite},
              {"environment", record.environment},
              {"level", record.level},
              {"problems", record.problems},
              {"solved", record.solved},
              {"accuracy", record.problems == 0 ? 0.0
                                                : static_cast<double>(record.solved) /
                                                      static_cast<double>(record.problems)},
              {"low", interval.low},
              {"high", interval.high},
              {"mean_reward", record.mean_reward}};
}

// What is asked: the suite, with the environments that it owns if they come from a file.
struct Questions {
  Suite suite;
  std::vector<std::unique_ptr<const Environment>> environments;
};

Expected<Questions> load_questions(const Options& options, const TrainSettings& settings,
                                   Progress& progress) {
  if (options.cruxeval.empty()) {
    const std::string& configured =
        settings.evaluation.suite.empty() ? settings.suite : settings.evaluation.suite;
    auto suite =
        load_suite_with_warning(options.suite.empty() ? configured : options.suite, progress);
    if (!suite) return tl::make_unexpected(suite.error());
    return Questions{std::move(*suite), {}};
  }
  if (!options.suite.empty()) return usage_error("give either --suite or --cruxeval");
  const auto mode = parse_cruxeval_mode(options.mode);
  if (!mode) return tl::make_unexpected(mode.error());
  const auto items = read_cruxeval(options.cruxeval);
  if (!items) return tl::make_unexpected(items.error());
  auto made = cruxeval_suite(*items, *mode, Registry::instance());
  if (!made) return tl::make_unexpected(made.error());
  return Questions{std::move(made->suite), std::move(made->environments)};
}

Expected<EvaluationOptions> evaluation_options(const Options& options,
                                               const TrainSettings& settings, const Suite& suite) {
  EvaluationOptions evaluation;  // its format is known once the policy is there
  evaluation.problems = settings.evaluation.problems;
  evaluation.sampling = settings.sampling;
  evaluation.sampling.temperature =
      options.temperature >= 0.0 ? options.temperature : settings.evaluation.temperature;
  if (suite.problems > 0)
    evaluation.problems = std::max(
        1, suite.problems / static_cast<int>(std::max<std::size_t>(1, suite.levels.size())));
  if (options.problems > 0) evaluation.problems = options.problems;
  if (!suite.levels.empty()) evaluation.levels = suite.levels;
  if (!options.cruxeval.empty()) return evaluation;  // a file has one level, whatever is configured
  if (!settings.evaluation.levels.empty()) evaluation.levels = settings.evaluation.levels;
  if (!options.levels.empty()) {
    auto levels = parse_levels(options.levels);
    if (!levels) return tl::make_unexpected(levels.error());
    evaluation.levels = std::move(*levels);
  }
  return evaluation;
}

Status run_eval(Options options) {
  if (!options.policy.empty())
    options.configuration.assignments.push_back("policy.path=" + options.policy);
  auto resolved = resolve(options.configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  TrainSettings& settings = resolved->settings;
  Progress progress(std::cerr,
                    options.json ? ProgressMode::kQuiet : detect_progress_mode(STDERR_FILENO));
  const auto questions = load_questions(options, settings, progress);
  if (!questions) return tl::make_unexpected(questions.error());
  auto evaluation = evaluation_options(options, settings, questions->suite);
  if (!evaluation) return tl::make_unexpected(evaluation.error());
  const auto policy = load_policy(settings);
  if (!policy) return tl::make_unexpected(policy.error());
  if (Status bound = bind_prompt_format(**policy, settings); !bound) return bound;
  auto format = PromptFormat::parse(settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  evaluation->format = std::move(*format);
  progress.stage("evaluating");
  const auto records = evaluate(**policy, questions->suite, *evaluation);
  if (!records) return tl::make_unexpected(records.error());
  if (!options.json) {
    fmt::print("{}", evaluation_table(*records));
    return {};
  }
  for (const EvaluationRecord& record : *records)
    fmt::print("{}\n", dump_json(to_json_line(record)));
  return {};
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("eval", "Measure a policy on held-out problems");
  auto options = std::make_shared<Options>();
  command->add_option("--policy", options->policy, "Folder of the policy");
  command->add_option(
      "--suite", options->suite,
      "Suite, file, environments with commas between, or the path of Python environments");
  command->add_option("--levels", options->levels, "0..4, or 3, or 0,2,5");
  command->add_option("--cruxeval", options->cruxeval,
                      "File in the format of CruxEval instead of a suite: code, input and output");
  command->add_option("--mode", options->mode,
                      "What is asked of its programs: input, output, or both");
  command->add_option("--problems", options->problems, "Per environment and level")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--temperature", options->temperature,
                   "Of the sampling; 0: greedy (default: evaluation.temperature)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "One JSON object per environment and level");
  options->configuration.add_to(*command);
  set_action(command, action, options, run_eval);
}

}  // namespace redqueen
