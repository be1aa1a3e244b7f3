#include "redqueen/cli/run_argument.h"

#include <filesystem>

#include "redqueen/base/file_queries.h"

namespace redqueen {

namespace fs = std::filesystem;

Expected<run::EventStore> open_run_to_read(const std::string& run) {
  const fs::path database = fs::path(run) / "run.db";
  std::error_code ignored;
  if (fs::is_regular_file(fs::path(run) / "judge" / "ledger.jsonl", ignored))
    return usage_error("{}: this is a run of the arena; see `redqueen arena --help`", run);
  if (!fs::is_regular_file(database, ignored))
    return usage_error("{}: this is no run (it has no run.db)", run);
  return run::EventStore::open_to_read(database);
}

fs::path free_run(const std::string& name) {
  fs::path run = fs::path("runs") / name;
  for (int i = 2; is_there(run); ++i) run = fs::path("runs") / fmt::format("{}-{}", name, i);
  return run;
}

}  // namespace redqueen
