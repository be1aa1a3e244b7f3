// redqueen train: a training run, new or resumed.

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <vector>

#include "redqueen/base/file_queries.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/interrupt.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/run_argument.h"
#include "redqueen/cli/side_process.h"
#include "redqueen/run/export/metrics_export.h"
#include "redqueen/session/distributed/rank_service.h"
#include "redqueen/session/distributed/visible_gpu.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/train_run.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct TrainOptions {
  ConfigurationOptions configuration;
  std::string recipe;
  std::string policy;
  std::string run;
  std::string resume;
  int processes = 1;
  bool watch = false;
  std::vector<std::string> loggers;
  RankPlace place;  // of a process that another one started
  OutputOptions output;
};

// Starts the processes that show or export the run while it goes on: whoever watches can neither
// stop nor slow down the training, and the process that holds a run's lock never looks at it.
Expected<std::vector<SideProcess>> start_side_processes(const TrainOptions& options,
                                                        const fs::path& run) {
  std::vector<SideProcess> processes;
  if (options.watch) {
    ASSIGN_OR_RETURN(SideProcess watch, SideProcess::start({"watch", run.string()}));
    processes.push_back(std::move(watch));
  }
  for (const std::string& name : options.loggers) {
    ASSIGN_OR_RETURN(const auto format, run::kMetricsFormats.get("--log", name));
    if (format == run::MetricsFormat::kWandb)
      return usage_error("--log wandb: export to W&B when the run has ended");
    ASSIGN_OR_RETURN(SideProcess logger,
                     SideProcess::start({"export", "metrics", run.string(), "--to", name}));
    processes.push_back(std::move(logger));
  }
  return processes;
}

Status run_train(TrainOptions options, const Resources& resources) {
  if (options.place.rank > 0) return serve_rank(options.place, rank_loader());
  if (options.processes > 1) see_first_gpu();
  if (!options.resume.empty()) {
    if (!options.configuration.file.empty() || !options.run.empty()) {
      return usage_error(
          "--resume takes its configuration and place from the run; leave out --config and --run");
    }
    if (!options.policy.empty() || !options.recipe.empty()) {
      return usage_error("--resume goes on with the policy and the recipe of the run; leave out {}",
                         options.policy.empty() ? "--recipe" : "--policy");
    }
    if (!is_folder(options.resume)) return usage_error("{}: there is no such run", options.resume);
    options.configuration.file = (fs::path(options.resume) / "config.toml").string();
  }
  if (!options.recipe.empty())
    options.configuration.flags.push_back({"--recipe", "run.recipe=" + options.recipe});
  if (!options.policy.empty())
    options.configuration.flags.push_back({"--policy", "policy.path=" + options.policy});
  ASSIGN_OR_RETURN(auto resolved, resolve(options.configuration, resources));
  TrainRequest request{.settings = resolved.settings,
                       .toml = resolved.toml,
                       .resume = !options.resume.empty(),
                       .processes = options.processes};
  request.run = request.resume        ? fs::path(options.resume)
                : options.run.empty() ? free_run(request.settings.run.recipe)
                                      : fs::path(options.run);
  run::Progress progress(std::cout, options.output.mode(), standard_output_width);
  install_interrupt();
  ASSIGN_OR_RETURN(const std::vector<SideProcess> side, start_side_processes(options, request.run));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(request.settings, resources));
  Status status = train(engine, request, progress, interrupt_requested());
  if (status)
    progress.note(
        fmt::format("run: {} (redqueen report {})", request.run.string(), request.run.string()));
  return status;
}

}  // namespace

void add_train(Command app) {
  Command command = app.add_subcommand("train", "Train a policy");
  auto options = std::make_shared<TrainOptions>();
  command.add_option("--recipe", options->recipe, "Training method (run.recipe)");
  command.add_option("--policy", options->policy,
                     "Hugging Face folder of the policy (hf:DIR or DIR)");
  command.add_option("--run", options->run, "Folder of the new run (default: runs/RECIPE)");
  command.add_option("--resume", options->resume,
                     "Go on with this run; --set may change its settings");
  command
      .add_option("--nproc", options->processes,
                  "Processes that share the work: one for each GPU, or part of the CPU")
      .range(1, 64)
      .show_default();
  command.add_flag("--watch", options->watch,
                   "Show the run meanwhile, as a page in the browser (docs/watch.md)");
  command
      .add_option("--log", options->loggers,
                  "Export metrics while they come: tensorboard, csv or jsonl (docs/watch.md)")
      .comma_separated();
  // How a process tells those that it starts what they are; not for people.
  command.add_option("--rank", options->place.rank).hidden();
  command.add_option("--ranks", options->place.size).hidden();
  command.add_option("--channel", options->place.channel).hidden();
  options->configuration.add_to(command);
  options->output.add_to(command);
  command.set_work(options, run_train);
}

}  // namespace redqueen
