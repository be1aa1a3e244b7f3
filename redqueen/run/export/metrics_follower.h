// Keeps an export of a run up to date while the run goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "redqueen/base/error.h"
#include "redqueen/run/export/metrics_export.h"

namespace redqueen::run {

class MetricsFollower {
 public:
  MetricsFollower(std::filesystem::path run, MetricsFormat format, std::filesystem::path out);

  // Writes what the run has measured since the last time; the first time, everything. A run that is
  // not there yet has measured nothing. Event files grow, as their readers expect, and keep the
  // first value of a step that was made anew after --resume; tables are written anew.
  Status update();

 private:
  Status append_events();

  std::filesystem::path run_;
  MetricsFormat format_;
  std::filesystem::path out_;
  std::set<std::pair<std::int64_t, std::string>> written_;  // step and name, of event files
};

}  // namespace redqueen::run
