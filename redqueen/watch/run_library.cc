#include "redqueen/watch/run_library.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "redqueen/arena/judge/run_files.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/run/working_process.h"

namespace redqueen::watch {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;              // folders below the root
constexpr std::size_t kMostRuns = 2000;  // more than a list of people can use
constexpr std::string_view kDatabase = "run.db";

// Nothing where the folder is no run.
std::optional<RunKind> kind_of(const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_regular_file(folder / kDatabase, ignored)) return RunKind::kTraining;
  if (arena::is_arena_run(folder)) return RunKind::kArena;
  return std::nullopt;
}

// Every folder is looked at once, so that this stays quick beside runs with many files.
void collect(const fs::path& folder, const std::string& prefix, int depth,
             std::vector<RunPlace>& runs) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_symlink(ignored) && entry->is_directory(ignored))
      folders.push_back(entry->path());
  }
  for (const fs::path& inner : folders) {
    if (runs.size() >= kMostRuns) return;
    const std::string name = prefix + inner.filename().string();
    if (const auto kind = kind_of(inner)) {
      runs.push_back({name, inner, *kind});
    } else if (depth < kDeepest) {
      collect(inner, name + '/', depth + 1, runs);
    }
  }
}

}  // namespace

std::string name_of_run(const fs::path& run) {
  const fs::path whole = absolute_path(run).lexically_normal();
  return (whole.has_filename() ? whole.filename() : whole.parent_path().filename()).string();
}

std::vector<RunPlace> RunLibrary::list() const {
  if (const auto kind = kind_of(root_)) return {{name_of_run(root_), root_, *kind}};
  std::vector<RunPlace> runs;
  collect(root_, "", 1, runs);
  std::ranges::sort(runs, std::ranges::less(), &RunPlace::name);
  return runs;
}

Expected<RunPlace> RunLibrary::find(std::string_view name) const {
  std::vector<RunPlace> runs = list();
  const auto found = std::ranges::find(runs, name, &RunPlace::name);
  if (found == runs.end()) return usage_error("there is no run \"{}\"", name);
  return std::move(*found);
}

RunState state_of(const fs::path& run, std::int64_t step, std::int64_t steps) {
  if (run::working_process(run)) return RunState::kRunning;
  return steps > 0 && step >= steps ? RunState::kFinished : RunState::kStopped;
}

}  // namespace redqueen::watch
