// redqueen report, redqueen compare: what became of runs, as a page and pictures.

#include <charconv>
#include <iostream>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/output.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/report/report.h"
#include "redqueen/run/report/statistics.h"
#include "redqueen/session/train_run.h"
#include "redqueen/watch/carried_data.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// Writes the page that follows runs, carrying what they are now, beside the page without scripts,
// and names all files.
Status finish(const std::vector<run::LabelledRun>& runs, const run::ReportFiles& files) {
  std::vector<watch::RunPlace> places;
  for (const run::LabelledRun& run : runs) places.push_back({run.label, run.run});
  const fs::path page = files.page.parent_path() / "page.html";
  RETURN_IF_ERROR(watch::write_carried_page(std::move(places), page));
  fmt::print("{}\n{}\n", files.page.string(), page.string());
  for (const fs::path& picture : files.pictures) fmt::print("{}\n", picture.string());
  return {};
}

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out;
};

Status report(const ReportOptions& options) {
  const fs::path out =
      options.out.empty() ? fs::path(options.runs.front()) / "report" : fs::path(options.out);
  std::vector<run::LabelledRun> runs;
  for (const std::string& run : options.runs) runs.push_back({.run = run});
  ASSIGN_OR_RETURN(const run::ReportFiles files, runs.size() == 1
                                                     ? run::write_report(runs.front().run, out)
                                                     : run::compare_report(runs, out));
  return finish(runs, files);
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
                const std::vector<std::string>& assignments, const Resources& resources,
                run::Progress& progress) {
  ConfigurationOptions configuration = options.configuration;
  if (!options.policy.empty()) configuration.assignments.push_back("policy.path=" + options.policy);
  configuration.assignments.insert(configuration.assignments.end(), assignments.begin(),
                                   assignments.end());
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  TrainRequest request{
      .settings = resolved.settings, .toml = resolved.toml, .run = fs::path(options.out) / label};
  request.resume = fs::exists(request.run / "config.toml");
  progress.note(
      fmt::format("{} {}", request.resume ? "going on with" : "making", request.run.string()));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(request.settings, resources));
  return train(engine, request, progress, interrupt_requested());
}

Expected<double> mean_effective_prompts(const fs::path& run) {
  ASSIGN_OR_RETURN(auto store, run::EventStore::open_to_read(run / "run.db"));
  ASSIGN_OR_RETURN(const auto points, store.metric(run::metric::kEffectivePrompts));
  std::vector<double> values;
  for (const run::MetricPoint& point : points) values.push_back(point.value);
  return run::finite_mean(values);
}

// A static range of difficulty, as --static gives it.
struct Range {
  std::string low;
  std::string high;
};

Expected<Range> parse_range(const std::string& text) {
  const std::size_t dots = text.find("..");
  int low = 0;
  int high = 0;
  const auto number = [](std::string_view part, int& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && value >= 0;
  };
  if (dots == std::string::npos || !number(std::string_view(text).substr(0, dots), low) ||
      !number(std::string_view(text).substr(dots + 2), high) || low > high) {
    return usage_error("--static {}: expected LOW..HIGH, such as 0..20", text);
  }
  return Range{fmt::to_string(low), fmt::to_string(high)};
}

Status compare(const CompareOptions& options, const Resources& resources) {
  std::vector<Range> ranges;
  for (const std::string& text : options.ranges) {
    ASSIGN_OR_RETURN(ranges.emplace_back(), parse_range(text));
  }
  run::Progress progress(std::cout, options.output.mode(), standard_output_width);
  install_interrupt();
  std::vector<run::LabelledRun> runs;
  const auto add = [&](const std::string& label, const std::vector<std::string>& assignments) {
    const Status status = make_run(options, label, assignments, resources, progress);
    runs.push_back({.run = fs::path(options.out) / label, .label = label});
    return status;
  };
  RETURN_IF_ERROR(add("adaptive", {"curriculum.difficulty=adaptive"}));
  for (const Range& range : ranges) {
    if (interrupt_requested()) break;
    RETURN_IF_ERROR(add(fmt::format("static-{}-{}", range.low, range.high),
                        {"curriculum.difficulty=static", "curriculum.low=" + range.low,
                         "curriculum.high=" + range.high}));
  }
  if (interrupt_requested()) {
    progress.note("stopped; the same command goes on");
    return {};
  }
  ASSIGN_OR_RETURN(const auto files, compare_report(runs, fs::path(options.out) / "report"));
  for (const run::LabelledRun& run : runs) {
    ASSIGN_OR_RETURN(const auto ratio, mean_effective_prompts(run.run));
    fmt::print("{:<14} mean effective prompt ratio {:.3f}\n", run.label, ratio);
  }
  return finish(runs, files);
}

}  // namespace

void add_report(Command app) {
  Command command = app.add_subcommand(
      "report", "Write a page and pictures of a run, or of several side by side");
  auto options = std::make_shared<ReportOptions>();
  command.add_option("run", options->runs, "Run folders").required();
  command.add_option("--out", options->out, "Folder to write (default: RUN/report)");
  command.set_work(options, report);
}

void add_compare(Command app) {
  Command command = app.add_subcommand(
      "compare", "Train the same policy with adaptive and with static difficulty, and plot both");
  auto options = std::make_shared<CompareOptions>();
  command.add_option("--policy", options->policy, "Folder of the policy");
  command
      .add_option("--out", options->out,
                  "Folder of the runs; called again, it goes on where it ended")
      .required();
  command.add_option("--static", options->ranges, "Static ranges LOW..HIGH (default: 0..20)");
  options->configuration.add_to(command);
  options->output.add_to(command);
  command.set_work(options, compare);
}

}  // namespace redqueen
