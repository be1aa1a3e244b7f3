// redqueen report, redqueen compare: what became of runs, as a page and pictures.

#include <iostream>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/output.h"
#include "redqueen/recipes/session.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/report.h"
#include "redqueen/run/statistics.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

void print_files(const ReportFiles& files) {
  fmt::print("{}\n", files.page.string());
  for (const fs::path& picture : files.pictures) fmt::print("{}\n", picture.string());
}

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out;
};

Status report(const ReportOptions& options) {
  const fs::path out =
      options.out.empty() ? fs::path(options.runs.front()) / "report" : fs::path(options.out);
  Expected<ReportFiles> files;
  if (options.runs.size() == 1) {
    files = write_report(options.runs.front(), out);
  } else {
    std::vector<LabelledRun> runs;
    for (const std::string& run : options.runs) runs.push_back({.run = run});
    files = compare_report(runs, out);
  }
  if (!files) return tl::make_unexpected(files.error());
  print_files(*files);
  return {};
}

struct CompareOptions {
  ConfigurationOptions configuration;
  std::string policy;
  std::string out;
  std::vector<std::string> ranges{"0..20"};
  OutputOptions output;
};

// The run `out`/LABEL with these assignments on top; one that is complete is not made again.
Status make_run(const CompareOptions& options, const std::string& label,
                const std::vector<std::string>& assignments, Progress& progress) {
  ConfigurationOptions configuration = options.configuration;
  if (!options.policy.empty()) configuration.assignments.push_back("policy.path=" + options.policy);
  configuration.assignments.insert(configuration.assignments.end(), assignments.begin(),
                                   assignments.end());
  const auto resolved = resolve(configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  TrainRequest request{
      .settings = resolved->settings, .toml = resolved->toml, .run = fs::path(options.out) / label};
  request.resume = fs::exists(request.run / "config.toml");
  progress.note(
      fmt::format("{} {}", request.resume ? "going on with" : "making", request.run.string()));
  return train(request, progress, interrupt_requested());
}

Expected<double> mean_effective_prompts(const fs::path& run) {
  auto store = EventStore::open_to_read(run / "run.db");
  if (!store) return tl::make_unexpected(store.error());
  const auto points = store->metric(metric::kEffectivePrompts);
  if (!points) return tl::make_unexpected(points.error());
  std::vector<double> values;
  for (const MetricPoint& point : *points) values.push_back(point.value);
  return finite_mean(values);
}

Status compare(const CompareOptions& options) {
  Progress progress(std::cout, options.output.mode(), terminal_width(STDOUT_FILENO));
  install_interrupt();
  std::vector<LabelledRun> runs;
  const auto add = [&](const std::string& label, const std::vector<std::string>& assignments) {
    const Status status = make_run(options, label, assignments, progress);
    runs.push_back({.run = fs::path(options.out) / label, .label = label});
    return status;
  };
  if (Status status = add("adaptive", {"curriculum.difficulty=adaptive"}); !status) return status;
  for (const std::string& range : options.ranges) {
    const std::size_t dots = range.find("..");
    if (dots == std::string::npos)
      return usage_error("--static {}: expected LOW..HIGH, 0..20 say", range);
    if (interrupt_requested()) break;
    const std::vector<std::string> assignments{"curriculum.difficulty=static",
                                               "curriculum.low=" + range.substr(0, dots),
                                               "curriculum.high=" + range.substr(dots + 2)};
    if (Status status =
            add(fmt::format("static-{}-{}", range.substr(0, dots), range.substr(dots + 2)),
                assignments);
        !status)
      return status;
  }
  if (interrupt_requested()) {
    progress.note("stopped; the same command goes on");
    return {};
  }
  const auto files = compare_report(runs, fs::path(options.out) / "report");
  if (!files) return tl::make_unexpected(files.error());
  for (const LabelledRun& run : runs) {
    const auto ratio = mean_effective_prompts(run.run);
    if (!ratio) return tl::make_unexpected(ratio.error());
    fmt::print("{:<14} mean effective prompt ratio {:.3f}\n", run.label, *ratio);
  }
  print_files(*files);
  return {};
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "report", "Write a page and pictures of a run, or of several side by side");
  auto options = std::make_shared<ReportOptions>();
  command->add_option("run", options->runs, "Run folders")->required();
  command->add_option("--out", options->out, "Folder to write (default: RUN/report)");
  set_action(command, action, options, report);
}

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "compare", "Train the same policy with adaptive and with static difficulty, and plot both");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("--policy", options->policy, "Folder of the policy");
  command
      ->add_option("--out", options->out,
                   "Folder of the runs; called again, it goes on where it ended")
      ->required();
  command->add_option("--static", options->ranges, "Static ranges LOW..HIGH (default: 0..20)");
  options->configuration.add_to(*command);
  options->output.add_to(*command);
  set_action(command, action, options, compare);
}

}  // namespace redqueen
