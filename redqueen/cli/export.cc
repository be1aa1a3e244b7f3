// redqueen export metrics: what a run measured, for other programs.

#include "redqueen/base/file_queries.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/side_process.h"
#include "redqueen/run/export/metrics_follower.h"
#include "redqueen/run/working_process.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string run;
  std::string format;
  std::string out;
  bool follow = false;
  bool with_parent = false;
};

// Exports again and again: while a process works on the run, or until somebody ends it. What a run
// writes last is written, too.
Status follow(const ExportOptions& options, run::MetricsFormat format, const fs::path& out) {
  constexpr int kMilliseconds = 2000;
  prepare_to_be_ended(options.with_parent);
  run::MetricsFollower follower(options.run, format, out);
  while (true) {
    const bool goes_on = options.with_parent || run::working_process(options.run);
    RETURN_IF_ERROR(follower.update());
    if (!goes_on) return {};
    if (wait_for_end(kMilliseconds)) return follower.update();
  }
}

Status export_metrics(const ExportOptions& options) {
  ASSIGN_OR_RETURN(const auto format, run::kMetricsFormats.get("--to", options.format));
  if (options.follow && format == run::MetricsFormat::kWandb)
    return usage_error("--follow: W&B keeps every export as a run of its own; export to it once");
  if (!options.with_parent && !is_file(fs::path(options.run) / "run.db"))
    return usage_error("{}: this is no run (it has no run.db)", options.run);
  const fs::path out =
      options.out.empty() ? run::default_export_path(options.run, format) : fs::path(options.out);
  if (options.with_parent) return follow(options, format, out);
  RETURN_IF_ERROR(options.follow ? follow(options, format, out)
                                 : run::export_metrics(options.run, format, out));
  fmt::print("{}\n", out.string());
  return {};
}

}  // namespace

void add_export(Command app) {
  Command command = app.add_subcommand("export", "Write what a run has for other programs");
  command.require_subcommand();
  Command metrics = command.add_subcommand(
      "metrics", "Write metrics, levels and evaluations for TensorBoard, as a table, for W&B");
  auto options = std::make_shared<ExportOptions>();
  metrics.add_option("run", options->run, "Run folder").required();
  metrics.add_option("--to", options->format, "tensorboard, csv, jsonl or wandb").required();
  metrics.add_option("--out", options->out,
                     "File, or folder of tensorboard and wandb (default: in the run)");
  metrics.add_flag("--follow", options->follow, "Go on while the run does; not with wandb");
  // How a command starts it beside itself (side_process.h); not for people.
  metrics.add_flag("--with-parent", options->with_parent, "End with the process that started it")
      .hidden();
  metrics.set_work(options, export_metrics);
}

}  // namespace redqueen
