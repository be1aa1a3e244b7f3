// redqueen report: what became of runs, as a page and pictures.

#include "redqueen/cli/commands.h"
#include "redqueen/cli/report_files.h"
#include "redqueen/cli/run_argument.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out;
};

Status report(const ReportOptions& options) {
  const fs::path out =
      options.out.empty() ? fs::path(options.runs.front()) / "report" : fs::path(options.out);
  std::vector<run::LabelledRun> runs;
  for (const std::string& run : options.runs) {
    RETURN_IF_ERROR(open_run_to_read(run));
    runs.push_back({.run = run});
  }
  ASSIGN_OR_RETURN(const run::ReportFiles files, runs.size() == 1
                                                     ? run::write_report(runs.front().run, out)
                                                     : run::compare_report(runs, out));
  return finish_report(runs, files);
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

}  // namespace redqueen
