// Caches the summaries of runs, for pages that ask for them every second.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/watch/run_library.h"

namespace redqueen::watch {

// Keeps what summary_of() said of a run until its files change, or somebody begins or ceases to
// work on it: then it is read anew. Safe to share between threads.
class SummaryCache {
 public:
  // summary_of() of each. What is kept of other runs is forgotten.
  std::vector<Json> of(const std::vector<RunPlace>& runs);

 private:
  // The time of a file's last write, and its size; as here where there is none.
  struct FileStamp {
    std::filesystem::file_time_type written = std::filesystem::file_time_type::min();
    std::uintmax_t size = 0;
    bool operator==(const FileStamp&) const = default;
  };
  struct Stamp {
    RunKind kind = RunKind::kTraining;
    bool is_worked_on = false;
    std::vector<FileStamp> files;
    bool operator==(const Stamp&) const = default;
  };
  struct Kept {
    Stamp stamp;
    Json summary;
    bool is_settled = false;  // when it was read, no file had been written just before
  };

  static FileStamp stamp_of(const std::filesystem::path& file);
  static Stamp stamp_of(const RunPlace& run);

  std::mutex mutex_;
  std::map<std::filesystem::path, Kept> kept_;  // by the run's folder
};

}  // namespace redqueen::watch
