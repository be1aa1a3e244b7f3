#include "redqueen/watch/summary_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "redqueen/arena/judge/run_files.h"
#include "redqueen/run/working_process.h"
#include "redqueen/watch/run_views.h"

namespace redqueen::watch {
namespace {

namespace fs = std::filesystem;
using FileClock = fs::file_time_type::clock;

// Times of files are coarse: what is written twice within a tick, and stays of one size, looks the
// same. So a file that was written just before it was read is read once more.
constexpr std::chrono::seconds kSettles{2};

// What summaries are made of (run_views.cc, arena_views.cc).
constexpr std::array<std::string_view, 3> kTrainingFiles{"config.toml", "run.db", "run.db-wal"};
constexpr std::array<std::string_view, 2> kArenaFiles{"run.json", "judge/ledger.jsonl"};

bool is_worked_on(const RunPlace& run) {
  return run.kind == RunKind::kArena ? arena::working_judge(run.folder).has_value()
                                     : run::working_process(run.folder).has_value();
}

}  // namespace

SummaryCache::FileStamp SummaryCache::stamp_of(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  if (error) return {};
  return {.written = written, .size = size_of_file(file).value_or(0)};
}

SummaryCache::Stamp SummaryCache::stamp_of(const RunPlace& run) {
  Stamp stamp{.kind = run.kind, .is_worked_on = is_worked_on(run), .files = {}};
  const auto add = [&](std::string_view name) {
    stamp.files.push_back(stamp_of(run.folder / name));
  };
  if (run.kind == RunKind::kArena) {
    std::ranges::for_each(kArenaFiles, add);
  } else {
    std::ranges::for_each(kTrainingFiles, add);
  }
  return stamp;
}

std::vector<Json> SummaryCache::of(const std::vector<RunPlace>& runs) {
  const std::lock_guard lock(mutex_);
  std::map<fs::path, Kept> still;
  std::vector<Json> summaries;
  summaries.reserve(runs.size());
  for (const RunPlace& run : runs) {
    // The stamp is taken first: what changes while a run is read differs from it next time.
    Stamp stamp = stamp_of(run);
    const auto before = FileClock::now() - kSettles;
    auto known = kept_.extract(run.folder);
    if (known.empty() || !known.mapped().is_settled || known.mapped().stamp != stamp) {
      const bool is_settled = std::ranges::all_of(
          stamp.files, [&](const FileStamp& file) { return file.written < before; });
      Kept read{std::move(stamp), summary_of(run), is_settled};
      summaries.push_back(read.summary);
      still.insert_or_assign(run.folder, std::move(read));
    } else {
      summaries.push_back(known.mapped().summary);
      still.insert(std::move(known));
    }
  }
  kept_ = std::move(still);
  return summaries;
}

}  // namespace redqueen::watch
