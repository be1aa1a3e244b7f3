// redqueen compare: the same policy trained under several settings, with a table and a page.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/report_files.h"
#include "redqueen/run/config.h"
#include "redqueen/run/flat_settings.h"
#include "redqueen/run/report/report.h"
#include "redqueen/run/variations.h"
#include "redqueen/session/train_run.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct CompareOptions {
  ConfigurationOptions configuration;
  std::string experiment;
  std::string policy;
  std::string out;
  std::vector<std::string> ranges;
  std::vector<std::string> vary;
  int seeds = 0;  // 0: as the experiment says, or one
  int jobs = 1;
  bool plan = false;
  OutputOptions output;
};

// What is compared: each inner list is one variation with its seeds.
struct Plan {
  std::string title;
  ConfigurationOptions configuration;
  std::vector<std::vector<run::Variation>> runs;
};

// A file of configs/experiments: a configuration and what is varied in it.
struct Experiment {
  std::string title;
  std::string config;
  std::vector<std::string> set;
  std::vector<std::string> vary;
  std::vector<std::string> variants;
  int seeds = 1;
};

Expected<Experiment> read_experiment(const std::string& name, const Resources& resources) {
  fs::path file = name;
  if (!is_file(file)) file = resources.find(fs::path("experiments") / (name + ".toml"));
  if (!is_file(file)) {
    return usage_error(
        "there is no experiment \"{}\"; configs/experiments/ has those that come with "
        "the program",
        name);
  }
  ASSIGN_OR_RETURN(auto config, run::Config::load(file));
  run::Settings settings(config);
  run::Section root = settings.section("");
  Experiment experiment;
  root.field("title", experiment.title, {.help = "What is compared."});
  root.field("config", experiment.config, {.help = "As --config."});
  root.field("set", experiment.set, {.help = "As --set."});
  root.field("vary", experiment.vary, {.help = "As --vary."});
  root.field("variants", experiment.variants, {.help = "LABEL: KEY=VALUE KEY=VALUE"});
  root.field("seeds", experiment.seeds, {.help = "As --seeds.", .min = 1});
  RETURN_IF_ERROR(settings.finish());
  return experiment;
}

Expected<std::vector<run::Variation>> variations_of(const std::vector<std::string>& vary,
                                                    const std::vector<std::string>& variants) {
  std::vector<std::vector<run::Variation>> lists;
  if (!variants.empty()) {
    std::vector<run::Variation>& list = lists.emplace_back();
    for (const std::string& text : variants) {
      ASSIGN_OR_RETURN(list.emplace_back(), run::parse_variant(text));
    }
  }
  for (const std::string& text : vary) {
    ASSIGN_OR_RETURN(lists.emplace_back(), run::parse_vary(text));
  }
  return run::combinations(lists);
}

Expected<Plan> plan_of(const CompareOptions& options, const Resources& resources) {
  Plan plan{.title = "", .configuration = options.configuration, .runs = {}};
  std::vector<run::Variation> variations;
  int seeds = std::max(1, options.seeds);
  if (!options.experiment.empty()) {
    ASSIGN_OR_RETURN(Experiment experiment, read_experiment(options.experiment, resources));
    plan.title = experiment.title;
    if (plan.configuration.file.empty()) plan.configuration.file = experiment.config;
    auto& assignments = plan.configuration.assignments;
    assignments.insert(assignments.begin(), experiment.set.begin(), experiment.set.end());
    ASSIGN_OR_RETURN(variations, variations_of(experiment.vary, experiment.variants));
    if (options.seeds == 0) seeds = experiment.seeds;
  } else if (!options.vary.empty()) {
    ASSIGN_OR_RETURN(variations, variations_of(options.vary, {}));
  } else {
    const std::vector<std::string> ranges =
        options.ranges.empty() ? std::vector<std::string>{"0..20"} : options.ranges;
    ASSIGN_OR_RETURN(variations, run::difficulty_variations(ranges));
  }
  if (!options.policy.empty())
    plan.configuration.assignments.push_back("policy.path=" + options.policy);
  ASSIGN_OR_RETURN(const auto resolved, resolve(plan.configuration, resources));
  for (const run::Variation& variation : variations)
    plan.runs.push_back(run::with_seeds(variation, resolved.settings.run.seed, seeds));
  return plan;
}

Expected<ResolvedConfiguration> resolve_variation(const Plan& plan, const run::Variation& variation,
                                                  const Resources& resources) {
  ConfigurationOptions configuration = plan.configuration;
  configuration.assignments.insert(configuration.assignments.end(), variation.assignments.begin(),
                                   variation.assignments.end());
  return resolve(configuration, resources);
}

// Whether a run may go on with another value: of how long it is, how fast, and how it is measured.
// With any other its steps would not be all of one variation.
bool may_change(std::string_view key) {
  if (key == "run.seed" || key == "run.recipe") return false;
  return key.starts_with("run.") || key.starts_with("evaluation.") || key.starts_with("sandbox.") ||
         key.starts_with("endpoint.");
}

// A run of an earlier comparison in the same folder must be one of this.
Status check_is_same(const fs::path& run, const std::string& toml) {
  if (!is_there(run / "config.toml")) return {};
  ASSIGN_OR_RETURN(const std::string text, read_text_file(run / "config.toml"));
  ASSIGN_OR_RETURN(const auto before, run::flat_settings(text, (run / "config.toml").string()));
  ASSIGN_OR_RETURN(const auto now, run::flat_settings(toml, "settings"));
  for (const auto& [key, value] : now) {
    const std::string had = run::setting(before, key);
    if (had.empty() || had == value || may_change(key)) continue;
    return usage_error("{}: this run was made with {} = {}, and not {}; choose another --out",
                       run.string(), key, had, value);
  }
  return {};
}

// The configurations of all runs, so that a wrong value is told before anything is trained.
Status check(const Plan& plan, const Resources& resources) {
  for (const auto& runs : plan.runs) RETURN_IF_ERROR(resolve_variation(plan, runs[0], resources));
  return {};
}

// What else can be told beforehand, of the runs to make.
Status check_runs(const Plan& plan, const fs::path& out, const Resources& resources) {
  for (const auto& runs : plan.runs) {
    for (const run::Variation& run : runs) {
      ASSIGN_OR_RETURN(const auto resolved, resolve_variation(plan, run, resources));
      RETURN_IF_ERROR(check_is_same(out / run.label, resolved.toml));
      if (&run != &runs[0]) continue;  // they differ by the seed alone
      ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
      RETURN_IF_ERROR(check_settings(engine, resolved.settings));
    }
  }
  return {};
}

// The run `out`/LABEL; one that is complete is not made again.
Status make_run(const Plan& plan, const fs::path& out, const run::Variation& variation,
                const Resources& resources, run::Progress& progress) {
  ASSIGN_OR_RETURN(const auto resolved, resolve_variation(plan, variation, resources));
  TrainRequest request{
      .settings = resolved.settings, .toml = resolved.toml, .run = out / variation.label};
  request.resume = is_there(request.run / "config.toml");
  progress.note(
      fmt::format("{} {}", request.resume ? "going on with" : "making", request.run.string()));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(request.settings, resources));
  return train(engine, request, progress, interrupt_requested());
}

Status make_one_by_one(const Plan& plan, const CompareOptions& options,
                       const Resources& resources) {
  run::Progress progress(std::cout, options.output.mode(), standard_output_width);
  for (const auto& variation : plan.runs) {
    for (const run::Variation& run : variation) {
      if (interrupt_requested()) return {};
      RETURN_IF_ERROR(make_run(plan, options.out, run, resources, progress));
    }
  }
  return {};
}

// A separate process for the run, which writes its progress and its errors to `log`.
pid_t start_run(const Plan& plan, const CompareOptions& options, const run::Variation& run,
                const Resources& resources, const fs::path& log) {
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  std::ofstream out(log, std::ios::app);
  run::Progress progress(out, run::ProgressMode::kLines);
  const Status status = make_run(plan, options.out, run, resources, progress);
  if (!status) out << "redqueen: " << status.error().message << '\n';
  out.flush();
  std::_Exit(status ? 0 : 1);
}

// At most options.jobs processes at a time.
Status make_side_by_side(const Plan& plan, const CompareOptions& options,
                         const Resources& resources) {
  std::vector<const run::Variation*> waiting;
  for (const auto& variation : plan.runs) {
    for (const run::Variation& run : variation) waiting.push_back(&run);
  }
  RETURN_IF_ERROR(make_folders(options.out));
  std::map<pid_t, fs::path> working;
  std::vector<std::string> failed;
  std::size_t next = 0;
  while (!working.empty() || (next < waiting.size() && !interrupt_requested())) {
    if (next < waiting.size() && working.size() < static_cast<std::size_t>(options.jobs) &&
        !interrupt_requested()) {
      const fs::path log = fs::path(options.out) / (waiting[next]->label + ".log");
      if (!options.output.quiet) fmt::print("{}\n", log.string());
      const pid_t child = start_run(plan, options, *waiting[next++], resources, log);
      if (child < 0) return failure("no process could be started: {}", std::strerror(errno));
      working[child] = log;
      continue;
    }
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    const auto found = working.find(child);
    if (found == working.end()) continue;
    if (status != 0) failed.push_back(found->second.string());
    working.erase(found);
  }
  if (!failed.empty()) return failure("these runs failed; see {}", fmt::join(failed, ", "));
  return {};
}

Status print(const Plan& plan) {
  for (const auto& variation : plan.runs) {
    for (const run::Variation& run : variation)
      fmt::print("{}: {}\n", run.label, fmt::join(run.assignments, " "));
  }
  return {};
}

Status compare(const CompareOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Plan plan, plan_of(options, resources));
  RETURN_IF_ERROR(check(plan, resources));
  if (options.plan) return print(plan);
  RETURN_IF_ERROR(check_runs(plan, options.out, resources));
  install_interrupt();
  RETURN_IF_ERROR(options.jobs == 1 ? make_one_by_one(plan, options, resources)
                                    : make_side_by_side(plan, options, resources));
  if (interrupt_requested()) {
    fmt::print("stopped; the same command goes on\n");
    return {};
  }
  std::vector<run::LabelledRun> runs;
  for (const auto& variation : plan.runs) {
    std::string label = variation[0].label;
    if (variation.size() > 1) label = label.substr(0, label.rfind("-seed-"));
    for (const run::Variation& run : variation)
      runs.push_back(
          {.run = fs::path(options.out) / run.label, .label = run.label, .variant = label});
  }
  ASSIGN_OR_RETURN(const std::string table, run::compare_variants(runs));
  if (!plan.title.empty()) fmt::print("{}\n\n", plan.title);
  fmt::print("{}", table);
  if (runs.size() < 2) return {};
  ASSIGN_OR_RETURN(const auto files, compare_report(runs, fs::path(options.out) / "report"));
  return finish_report(runs, files);
}

}  // namespace

void add_compare(Command app) {
  Command command = app.add_subcommand(
      "compare", "Train the same policy under several settings, and lay the results side by side");
  auto options = std::make_shared<CompareOptions>();
  command.add_option("--policy", options->policy, "Folder of the policy");
  command
      .add_option("--out", options->out,
                  "Folder of the runs; called again, it goes on where it ended")
      .required();
  const Option ranges = command.add_option(
      "--static", options->ranges, "Adaptive against static ranges LOW..HIGH (default: 0..20)");
  const Option vary =
      command
          .add_option("--vary", options->vary,
                      "KEY=VALUE,VALUE,…: one run a value; several of them: one a combination")
          .one_value_each()
          .excludes(ranges);
  command
      .add_option("--experiment", options->experiment,
                  "A file that says what is compared, or the name of one in configs/experiments/")
      .excludes(ranges)
      .excludes(vary);
  command
      .add_option(
          "--seeds", options->seeds,
          "Runs of each setting, with seeds that follow (default: 1, or as the experiment says)")
      .positive();
  command
      .add_option("--jobs", options->jobs, "Runs at a time, each a process with a log of its own")
      .positive()
      .show_default();
  command.add_flag("--plan", options->plan, "Name the runs and what they set; train nothing");
  options->configuration.add_to(command);
  options->output.add_to(command);
  command.set_work(options, compare);
}

}  // namespace redqueen
