// redqueen export metrics: what a run measured, for other programs.

#include "redqueen/cli/commands.h"
#include "redqueen/run/export/metrics_export.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string run;
  std::string format;
  std::string out;
};

Status export_metrics(const Options& options) {
  ASSIGN_OR_RETURN(const auto format, run::kMetricsFormats.get("--to", options.format));
  if (!fs::is_regular_file(fs::path(options.run) / "run.db"))
    return usage_error("{}: this is no run (it has no run.db)", options.run);
  const fs::path out =
      options.out.empty() ? run::default_export_path(options.run, format) : fs::path(options.out);
  RETURN_IF_ERROR(run::export_metrics(options.run, format, out));
  fmt::print("{}\n", out.string());
  return {};
}

}  // namespace

void add_export(Command app) {
  Command command = app.add_subcommand("export", "Write what a run has for other programs");
  command.require_subcommand();
  Command metrics = command.add_subcommand(
      "metrics", "Write metrics, levels and evaluations for TensorBoard, as a table, for W&B");
  auto options = std::make_shared<Options>();
  metrics.add_option("run", options->run, "Run folder").required();
  metrics.add_option("--to", options->format, "tensorboard, csv, jsonl or wandb").required();
  metrics.add_option("--out", options->out,
                     "File, or folder of tensorboard and wandb (default: in the run)");
  metrics.set_work(options, export_metrics);
}

}  // namespace redqueen
