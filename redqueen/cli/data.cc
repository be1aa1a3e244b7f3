// redqueen data: look at data sets.

#include <algorithm>

#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/output.h"
#include "redqueen/data_sets/audit.h"

namespace redqueen {
namespace {

struct DataCheckOptions {
  ConfigurationOptions configuration;
  std::vector<std::string> files;
  bool json = false;
};

// True if every row is sound.
Expected<bool> check_file(const std::string& file, const Engine& engine, bool json) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  const std::vector<data_sets::ReadRow> rows = data_sets::scan_rows(text);
  if (rows.empty()) return failure("{}: there is no row in this file", file);
  const bool terminal = !json && isatty(STDERR_FILENO) != 0;
  data_sets::AuditOptions how;
  if (terminal) {
    how.progress = [&](std::size_t done, std::size_t all) {
      fmt::print(stderr, "\r{}: {} of {} rows", file, done, all);
      if (done == all) fmt::print(stderr, "\r\033[K");
    };
  }
  ASSIGN_OR_RETURN(const data_sets::Audit audit,
                   data_sets::audit_rows(rows, engine.sandbox(), how));
  if (json) {
    Json line = data_sets::to_json(audit);
    line["file"] = file;
    fmt::print("{}\n", dump_json(line));
  } else {
    for (const data_sets::RowFault& fault : audit.faults) {
      say("{}: {}: {}\n", file, data_sets::kRowFaultNames.name(fault.kind),
          data_sets::to_string(fault));
    }
    say("{}: {}\n", file, data_sets::summary(audit));
  }
  return std::ranges::none_of(audit.faults, [](const data_sets::RowFault& fault) {
    return data_sets::is_unsound(fault.kind);
  });
}

Status data_check(const DataCheckOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  std::size_t unsound = 0;
  for (const std::string& file : options.files) {
    ASSIGN_OR_RETURN(const bool sound, check_file(file, engine, options.json));
    unsound += sound ? 0 : 1;
  }
  if (unsound > 0) {
    return failure("{} of {} files have rows that the right answer does not earn", unsound,
                   options.files.size());
  }
  return {};
}

}  // namespace

void add_data(Command app) {
  Command data = app.add_subcommand("data", "Look at data sets");
  data.require_subcommand();
  Command command = data.add_subcommand(
      "check", "Name the rows of data sets that the right answer does not earn");
  auto options = std::make_shared<DataCheckOptions>();
  command.add_option("file,--file", options->files, "Files of rows (.jsonl)").required();
  command.add_flag("--json", options->json, "One JSON object a file");
  options->configuration.add_to(command);
  command.set_work(options, data_check);
}

}  // namespace redqueen
