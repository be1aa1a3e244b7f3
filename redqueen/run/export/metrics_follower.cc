#include "redqueen/run/export/metrics_follower.h"

#include <fstream>
#include <system_error>
#include <vector>

#include "redqueen/run/export/event_file.h"

namespace redqueen::run {

namespace fs = std::filesystem;

MetricsFollower::MetricsFollower(fs::path run, MetricsFormat format, fs::path out)
    : run_(std::move(run)), format_(format), out_(std::move(out)) {}

Status MetricsFollower::update() {
  std::error_code ignored;
  if (!fs::exists(run_ / "run.db", ignored)) return {};
  if (format_ == MetricsFormat::kTensorBoard) return append_events();
  return export_metrics(run_, format_, out_);
}

Status MetricsFollower::append_events() {
  ASSIGN_OR_RETURN(const std::vector<MetricsRow> rows, metrics_of(run_));
  const bool is_first = written_.empty();
  std::string events;
  for (const MetricsRow& row : rows) {
    std::vector<MetricValue> news;
    for (const MetricValue& value : row.values) {
      if (written_.emplace(row.step, value.name).second) news.push_back(value);
    }
    if (!news.empty()) events += event_file_scalars(row.time, row.step, news);
  }
  if (events.empty()) return {};
  // The first time replaces what an earlier export left, whole or not at all.
  if (is_first) return write_event_file(rows, out_);
  std::ofstream file(event_file_path(out_), std::ios::binary | std::ios::app);
  file << events;
  file.close();
  if (!file) return failure("{}: cannot be written", event_file_path(out_).string());
  return {};
}

}  // namespace redqueen::run
